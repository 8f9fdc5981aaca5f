/** What the back office shows beside an order. */
import { sql, type Db } from '#db/database.ts';
import type { Order, OrderLine } from '#orders/order.ts';

/** The person who has placed an order, as they are now. */
export interface Buyer {
  readonly id: number;
  /** Null for somebody who has not joined. */
  readonly code: number | null;
  /** Null once the person is erased. */
  readonly username: string | null;
  readonly email: string | null;
}

export interface OrderContext {
  readonly buyers: ReadonlyMap<number, Buyer>;
  /** The titles of the benefits of codes. */
  readonly titles: ReadonlyMap<number, string>;
}

/** Reads the buyers of orders of a commerce, and what their codes are for. */
export async function readOrderContext(
  db: Db,
  commerceId: number,
  orders: readonly Order[],
): Promise<OrderContext> {
  const { rows: buyers } = await sql<Buyer>`-- read-buyers
    select id, code, username, email
      from members
     where commerce_id = ${commerceId} and id = any(${orders.flatMap(({ memberId }) => memberId ?? [])}::bigint[])`.execute(
    db,
  );
  const { rows: titles } = await sql<{ code: number; title: string }>`-- read-titles-of-codes
    select code, benefit ->> 'title' as title
      from vouchers
     where commerce_id = ${commerceId}
       and code = any(${orders.flatMap(({ codes }) => codes.map(({ code }) => code))}::bigint[])`.execute(db);
  return {
    buyers: new Map(buyers.map((buyer) => [buyer.id, buyer])),
    titles: new Map(titles.map(({ code, title }) => [code, title])),
  };
}

/** Returns what an order consists of, as the shop last said; null if it does not say so, or once that was deleted. */
export async function readOrderLines(
  db: Db,
  { commerceId, externalId }: Pick<Order, 'commerceId' | 'externalId'>,
): Promise<readonly OrderLine[] | null> {
  const { rows } = await sql<{ lines: readonly OrderLine[] }>`-- read-order-lines
    select lines
      from order_lines
     where commerce_id = ${commerceId} and external_id = ${externalId}`.execute(db);
  return rows[0]?.lines ?? null;
}
