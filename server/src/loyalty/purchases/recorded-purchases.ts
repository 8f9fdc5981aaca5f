import type { KeyedCall } from '#batching/idempotency.ts';
import { digestOf } from '#batching/keyed-request.ts';
import { among } from '#db/cluster/among.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db, type Sql } from '#db/database.ts';
import type { GivenStamps } from '#stamps/decide-stamps.ts';
import type { ComparedFacts } from '#points/purchase-facts.ts';

/**
 * The shop's own ids of its purchases are keys of this operation, whether a call or a file brought them: imports have always
 * kept them here, so the space is shared with rows that an earlier release imported.
 */
export const ORDERS = 'import';

/** The fingerprint of an id that a stated order has claimed. What the order says changes, so it stands for nothing. */
export const ORDER_PRINT = digestOf('an order');

/** Returns the key under which the shop's own id of a purchase is kept. */
export function orderKey(externalId: string): string {
  return `${ID}${externalId}`;
}

/** The call under which a stated order keeps the shop's own id. */
export function keyOfOrder({
  commerceId,
  externalId,
}: {
  commerceId: number;
  externalId: string;
}): KeyedCall {
  return { commerceId, operation: ORDERS, key: orderKey(externalId), fingerprint: ORDER_PRINT };
}

/** Returns the shop's own id of a purchase in such a key; null if the key is of another kind. */
export function externalIdIn(key: string): string | null {
  return key.startsWith(ID) ? key.slice(ID.length) : null;
}

const ID = 'id/';

/** Selects the shop's own id of the purchase `p`; null if the shop gave none. */
export const externalIdOf = (commerceId: number): Sql => sql`(
           select substr(k.key, 4)
             from idempotency_keys k
            where k.commerce_id = ${commerceId} and k.result = p.id and k.operation = 'import' and k.key like 'id/%'
            limit 1)`;

/** A recorded purchase, to compare with a repeated one and to answer that one. */
export interface RecordedPurchase extends ComparedFacts {
  readonly at: Date;
  readonly id: number;
  readonly memberId: number;
  readonly pointsEarned: number;
  /** Those of them that had to wait. */
  readonly pointsWaiting: number;
  /** What it gave on each kind of card. */
  readonly stamps: readonly GivenStamps[];
  /** The balance that the shop was told; null if it was told none. */
  readonly balance: number | null;
  /** The buyer's code and address as they are now. */
  readonly code: number | null;
  readonly email: string | null;
  /** When the buyer joined; null if they have not. Earlier points waited. */
  readonly enrolledAt: Date | null;
}

/** Reads purchases that were recorded before, by id. */
export async function readRecorded(
  db: Db,
  purchases: readonly { readonly commerceId: number; readonly id: number }[],
): Promise<Map<number, RecordedPurchase>> {
  if (purchases.length === 0) return new Map();
  const { rows } = await sql<RecordedPurchase>`-- read-recorded
    select p.id, p.member_id as "memberId", p.at, p.amount, p.points_earned as "pointsEarned", p.balance_after as balance,
           coalesce((p.snapshot -> 'waits' ->> 'points')::bigint, 0) as "pointsWaiting",
           coalesce(p.snapshot -> 'stamps', '[]') as stamps,
           p.register_id as "registerId", p.branch_id as "branchId", m.code, m.email, m.enrolled_at as "enrolledAt"
      from unnest(${purchases.map((p) => p.commerceId)}::bigint[], ${purchases.map((p) => p.id)}::bigint[])
             as r(commerce_id, id)
      join movements p on p.commerce_id = r.commerce_id and p.id = r.id
      join members m on m.commerce_id = p.commerce_id and m.id = p.member_id${among(db, 'm', purchases)}
     where p.commerce_id = any(${commercesOf(purchases)}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Finds the purchase with the shop's own id. Returns undefined if there is none. */
export async function findOrder(
  db: Db,
  commerceId: number,
  externalId: string,
): Promise<{ readonly id: number; readonly memberId: number } | undefined> {
  const { rows } = await sql<{ id: number; memberId: number }>`-- find-order
    select p.id, p.member_id as "memberId"
      from idempotency_keys k
      join movements p on p.commerce_id = k.commerce_id and p.id = k.result
     where k.commerce_id = ${commerceId} and k.operation = ${ORDERS} and k.key = ${orderKey(externalId)}
       and p.type = 'purchase'`.execute(db);
  return rows[0];
}
