/** The statements of orders. */
import { sql, type Db, type Tx } from '#db/database.ts';
import { whyGone } from '#vouchers/redeem-voucher.ts';
import type { VoucherSource } from '#vouchers/voucher.ts';
import type { Order, OrderCode, OrderLine } from './order.ts';

/** The shop's own id of an order. */
export interface OrderRef {
  readonly commerceId: number;
  readonly externalId: string;
}

/** The columns of `orders o` in the shape of an `Order` without its codes. */
export const orderColumns = sql.raw(`
           o.commerce_id as "commerceId", o.external_id as "externalId", o.member_id as "memberId",
           o.purchase_id as "purchaseId", o.status, o.paid, o.refunded, o.version, o.content, o.refusal,
           o.placed_at as "placedAt", o.paid_at as "paidAt"`);

/** Reads what stands of an order; null if there is none. */
export async function readOrder(db: Db, ref: OrderRef): Promise<Order | null> {
  const { rows } = await sql<Omit<Order, 'codes'>>`-- read-order
    select ${orderColumns}
      from orders o
     where o.commerce_id = ${ref.commerceId} and o.external_id = ${ref.externalId}`.execute(db);
  if (rows[0] === undefined) return null;
  const codes = await readOrderCodes(db, ref.commerceId, [ref.externalId]);
  return { ...rows[0], codes: codes.get(ref.externalId) ?? [] };
}

interface CodeRow extends OrderCode {
  readonly externalId: string;
  /** The order holds it now. */
  readonly isHeld: boolean;
  readonly isUndone: boolean;
  readonly source: VoucherSource;
  readonly usedAt: Date | null;
  readonly givenBackAt: Date | null;
}

/**
 * Reads the codes of orders as they are now, by the id of the order. A hold may have ended since, or the code was used at a till, given
 * back or made void, or its use was undone.
 */
export async function readOrderCodes(
  db: Db,
  commerceId: number,
  externalIds: readonly string[],
): Promise<Map<string, OrderCode[]>> {
  if (externalIds.length === 0) return new Map();
  const { rows } = await sql<CodeRow>`-- read-order-codes
    select c.external_id as "externalId", c.code, c.state, c.reason, r.undo_id is not null as "isUndone",
           h.code is not null and v.used_at is null and v.given_back_at is null as "isHeld",
           v.source, v.used_at as "usedAt", v.given_back_at as "givenBackAt"
      from order_codes c
      left join holds h on h.commerce_id = ${commerceId} and h.code = c.code and h.external_id = c.external_id
                       and h.expires_at > now()
      left join redemptions r on r.commerce_id = ${commerceId} and r.external_id = c.external_id and r.code = c.code
      left join vouchers v on v.commerce_id = ${commerceId} and v.code = c.code
     where c.commerce_id = ${commerceId} and c.external_id = any(${[...externalIds]}::text[])
     order by c.external_id, c.code`.execute(db);
  const codes = Map.groupBy(rows, (row) => row.externalId);
  return new Map(Array.from(codes, ([id, its]) => [id, its.map(codeNow)]));
}

function codeNow({ code, state, reason, ...is }: CodeRow): OrderCode {
  if (state === 'held' && !is.isHeld) return { code, state: 'released', reason: whyGone(is) };
  if (state === 'used' && is.isUndone) return { code, state: 'restored', reason: null };
  return { code, state, reason };
}

/** Stores what stands of an order from now on. */
export async function storeOrder(tx: Tx, order: Order): Promise<void> {
  await sql`-- store-order
    insert into orders (commerce_id, external_id, member_id, purchase_id, status, paid, refunded, version, content, refusal,
                        placed_at, paid_at)
    values (${order.commerceId}, ${order.externalId}, ${order.memberId}, ${order.purchaseId}, ${order.status}, ${order.paid},
            ${order.refunded}, ${order.version}, ${order.content}, ${order.refusal}, ${order.placedAt}, ${order.paidAt})
        on conflict (commerce_id, external_id) do update
       set member_id = excluded.member_id, purchase_id = excluded.purchase_id, status = excluded.status, paid = excluded.paid,
           refunded = excluded.refunded, version = excluded.version, content = excluded.content, refusal = excluded.refusal,
           paid_at = excluded.paid_at`.execute(tx);
  await storeOrderCodes(tx, order);
}

async function storeOrderCodes(tx: Tx, { commerceId, externalId, codes }: Order): Promise<void> {
  await sql`-- store-order-codes
    with forgotten as (
      delete from order_codes
       where commerce_id = ${commerceId} and external_id = ${externalId}
         and code <> all(${codes.map(({ code }) => code)}::bigint[])
    )
    insert into order_codes (commerce_id, external_id, code, state, reason)
    select ${commerceId}, ${externalId}, c.code, c.state, c.reason
      from unnest(${codes.map(({ code }) => code)}::bigint[], ${codes.map(({ state }) => state)}::text[],
                  ${codes.map(({ reason }) => reason)}::text[]) as c(code, state, reason)
        on conflict (commerce_id, external_id, code) do update
       set state = excluded.state, reason = excluded.reason`.execute(tx);
}

/** Stores what an order consists of, in the place of what was stored before. */
export async function storeOrderLines(
  tx: Tx,
  { commerceId, externalId }: OrderRef,
  memberId: number,
  lines: readonly OrderLine[],
): Promise<void> {
  await sql`-- store-order-lines
    insert into order_lines (commerce_id, external_id, member_id, lines)
    values (${commerceId}, ${externalId}, ${memberId}, ${JSON.stringify(lines)}::jsonb)
        on conflict (commerce_id, external_id) do update
       set member_id = excluded.member_id, stored_at = excluded.stored_at, lines = excluded.lines`.execute(
    tx,
  );
}

/** Deletes what the orders of a person consisted of, once they are erased. */
export async function forgetOrderLines(tx: Tx, commerceId: number, memberId: number): Promise<void> {
  await sql`-- forget-order-lines
    delete from order_lines
     where commerce_id = ${commerceId} and member_id = ${memberId}`.execute(tx);
}
