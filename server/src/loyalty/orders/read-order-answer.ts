import { readCommerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { NotFound } from '#problems/problem.ts';
import type { Order } from './order.ts';
import { readOrder, type OrderRef } from './store-orders.ts';

/** The shop has sent no order with this id. */
export class UnknownOrder extends NotFound {
  constructor() {
    super('the order does not exist: send the external_id under which it was sent, and the key of that shop');
  }
}

/** An order with what it means for the member now. */
export interface OrderAnswer extends Order {
  /** The points that its purchase has earned, less what was taken back. */
  readonly points: number;
  /** The member's balance now; null without a member. */
  readonly balance: number | null;
}

/** Returns an order as it stands. @throws UnknownOrder */
export async function readOrderAnswer(db: Db, ref: OrderRef): Promise<OrderAnswer> {
  const order = await readOrder(db, ref);
  if (order === null) throw new UnknownOrder();
  const [answer] = await withPoints(db, ref.commerceId, [order]);
  return answer!;
}

/** Adds the points of their purchases, and the balances of the buyers, to orders of a commerce. */
export async function withPoints(
  db: Db,
  commerceId: number,
  orders: readonly Order[],
): Promise<OrderAnswer[]> {
  if (orders.length === 0) return [];
  const { today } = (await readCommerce(db, commerceId))!;
  const { rows: earned } = await sql<{ purchaseId: number; points: number }>`-- read-points-of-orders
    select coalesce(m.reverses_id, m.id) as "purchaseId", sum(m.points_earned)::bigint as points
      from movements m
     where m.commerce_id = ${commerceId}
       and (m.id = any(${orders.flatMap((order) => order.purchaseId ?? [])}::bigint[])
            or m.reverses_id = any(${orders.flatMap((order) => order.purchaseId ?? [])}::bigint[]))
     group by 1`.execute(db);
  const { rows: held } = await sql<{ memberId: number; balance: number }>`-- read-balances-of-orders
    select b.member_id as "memberId", sum(b.points)::bigint as balance
      from balances b
     where b.commerce_id = ${commerceId} and b.expires_on >= ${today}::date
       and b.member_id = any(${orders.flatMap((order) => order.memberId ?? [])}::bigint[])
     group by 1`.execute(db);
  const points = new Map(earned.map((row) => [row.purchaseId, row.points]));
  const balances = new Map(held.map((row) => [row.memberId, row.balance]));
  return orders.map((order) => ({
    ...order,
    points: order.purchaseId === null ? 0 : (points.get(order.purchaseId) ?? 0),
    balance: order.memberId === null ? null : (balances.get(order.memberId) ?? 0),
  }));
}
