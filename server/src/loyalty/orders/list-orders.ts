import { sql, type Db } from '#db/database.ts';
import type { Order, OrderStatus } from './order.ts';
import { withPoints, type OrderAnswer } from './read-order-answer.ts';
import { orderColumns, readOrderCodes } from './store-orders.ts';

/** Which orders of a commerce are listed. Conditions that are left out do not count. */
export interface OrderFilter {
  /** The buyer's code. */
  readonly code?: number | undefined;
  /** The buyer's id. */
  readonly memberId?: number | undefined;
  readonly status?: OrderStatus | undefined;
  /** Orders whose first state came at this instant or later. */
  readonly from?: Date | undefined;
  /** Orders whose first state came before this instant. */
  readonly to?: Date | undefined;
}

/** The last order of a page. */
export interface OrderPlace {
  readonly placedAt: Date;
  readonly externalId: string;
}

const PAGE = 20;

/** Returns a page of a commerce's orders by their first state, newest first, from behind a place. */
export async function listOrders(
  db: Db,
  commerceId: number,
  { code, memberId, status, from, to }: OrderFilter,
  after: OrderPlace | null,
): Promise<{ orders: OrderAnswer[]; next: OrderPlace | null }> {
  const isOfMember = code !== undefined || memberId !== undefined;
  const member =
    memberId !== undefined
      ? sql`o.member_id = ${memberId}`
      : code !== undefined
        ? sql`o.member_id = (select m.id from members m where m.commerce_id = ${commerceId} and m.code = ${code})`
        : sql`true`;
  const { rows } = await sql<
    Omit<Order, 'codes'>
  >`${sql.raw(`-- list-orders${isOfMember ? '-of-member' : ''}`)}
    select ${orderColumns}
      from orders o
     where o.commerce_id = ${commerceId} and ${member}
       and (${status ?? null}::text is null or o.status = ${status ?? null}::text)
       and o.placed_at >= coalesce(${from ?? null}::timestamptz, '-infinity')
       and o.placed_at < coalesce(${to ?? null}::timestamptz, 'infinity')
       and (o.placed_at, o.external_id) < (coalesce(${after?.placedAt ?? null}::timestamptz, 'infinity'), ${after?.externalId ?? ''}::text)
     order by o.placed_at desc, o.external_id desc
     limit ${PAGE + 1}`.execute(db);
  const page = rows.slice(0, PAGE);
  const codes = await readOrderCodes(
    db,
    commerceId,
    page.map(({ externalId }) => externalId),
  );
  const orders = page.map((row) => ({ ...row, codes: codes.get(row.externalId) ?? [] }));
  const last = page.at(-1);
  return {
    orders: await withPoints(db, commerceId, orders),
    next: rows.length > PAGE && last !== undefined ? last : null,
  };
}
