import { sql, type Db } from '#db/database.ts';
import type { Order } from '#orders/order.ts';

export const ORDER_WRITE_KINDS = [
  'state',
  'purchase',
  'correction',
  'reversal',
  'held',
  'released',
  'used',
  'undone',
] as const;

/** Something that was written for an order. */
export interface OrderWrite {
  readonly id: number;
  readonly kind: (typeof ORDER_WRITE_KINDS)[number];
  /** By the commerce's clock. */
  readonly at: Date;
  /** Whether it is a movement of the ledger. */
  readonly isMovement: boolean;
  /** What the shop said with a `state`, and until when a code was `held`. */
  readonly facts: {
    readonly status?: Order['status'];
    readonly version?: number;
    readonly paid?: number;
    readonly refunded?: number;
    readonly held_until?: string;
  };
  readonly amount: number | null;
  readonly points: number | null;
  readonly code: number | null;
  readonly title: string | null;
}

/** More states than an order ever has; a shop that sends one each minute has them nevertheless. */
export const MOST_WRITES = 200;

/**
 * Returns what was written for an order, newest first: what the shop said of it, the movements of its purchase, also those of a till, and
 * what became of its codes. Returns one more than `MOST_WRITES` if there are more.
 */
export async function readOrderWrites(
  db: Db,
  { commerceId, externalId, purchaseId }: Pick<Order, 'commerceId' | 'externalId' | 'purchaseId'>,
): Promise<OrderWrite[]> {
  const newest = sql`order by id desc limit ${MOST_WRITES + 1}`;
  const { rows } = await sql<OrderWrite>`-- read-order-writes
    with said as (
      select id, case type when 'order.changed' then 'state' when 'voucher.held' then 'held' else 'released' end as kind,
             at, false as is_movement, facts, null::bigint as amount, null::bigint as points, voucher_code
        from happenings
       where commerce_id = ${commerceId} and facts ->> 'external_id' = ${externalId}
       ${newest}
    ), bought as (
      select id, type, at, true, '{}'::jsonb, amount, points, null::bigint
        from movements
       where commerce_id = ${commerceId} and id = ${purchaseId}
       union all
      (select id, type, at, true, '{}'::jsonb, amount, points, null
         from movements
        where commerce_id = ${commerceId} and reverses_id = ${purchaseId}
        ${newest})
    ), used as (
      select use_id as id, 'used', used_at, true, '{}'::jsonb, null::bigint, null::bigint, code
        from redemptions
       where commerce_id = ${commerceId} and external_id = ${externalId}
       union all
      select undo_id, 'undone', undone_at, true, '{}'::jsonb, null, null, code
        from redemptions
       where commerce_id = ${commerceId} and external_id = ${externalId} and undo_id is not null
    )
    select w.id, w.kind, w.at, w.is_movement as "isMovement", w.facts, w.amount, w.points, w.voucher_code as code,
           v.benefit ->> 'title' as title
      from (select * from said union all select * from bought union all select * from used ${newest}) w
      left join vouchers v on v.commerce_id = ${commerceId} and v.code = w.voucher_code
     order by w.id desc`.execute(db);
  return rows;
}
