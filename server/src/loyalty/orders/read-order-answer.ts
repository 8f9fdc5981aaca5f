import { readCommerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { readHolders } from '#points/holder-reader.ts';
import { balanceOn } from '#points/lots.ts';
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
  /** Those of them that wait. */
  readonly waiting: number;
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
  const { today, now } = (await readCommerce(db, commerceId))!;
  const purchaseIds = orders.flatMap((order) => order.purchaseId ?? []);
  const { rows: earned } = await sql<{
    purchaseId: number;
    points: number;
    waiting: number;
  }>`-- read-points-of-orders
    select e."purchaseId", e.points,
           (select coalesce(sum(p.points), 0)::bigint
              from pending_points p
             where p.commerce_id = ${commerceId} and p.member_id = e.member_id and p.purchase_id = e."purchaseId"
               and p.due_at > ${now}) as waiting
      from (select coalesce(m.reverses_id, m.id) as "purchaseId", m.member_id, sum(m.points_earned)::bigint as points
              from movements m
             where m.commerce_id = ${commerceId}
               and (m.id = any(${purchaseIds}::bigint[]) or m.reverses_id = any(${purchaseIds}::bigint[]))
             group by 1, 2) e`.execute(db);
  const memberIds = [...new Set(orders.flatMap((order) => order.memberId ?? []))];
  const { rows: held } = await sql<{
    memberId: number;
    balance: number;
    isUnsettled: boolean;
  }>`-- read-balances-of-orders
    select m.id as "memberId",
           coalesce((select sum(b.points)
                       from balances b
                      where b.commerce_id = ${commerceId} and b.member_id = m.id and b.expires_on >= ${today}::date), 0)::bigint as balance,
           exists (select from pending_points p
                    where p.commerce_id = ${commerceId} and p.member_id = m.id and p.due_at <= ${now}) as "isUnsettled"
      from unnest(${memberIds}::bigint[]) as m(id)`.execute(db);
  const unsettled = held.filter(({ isUnsettled }) => isUnsettled);
  const settled = await readHolders(
    db,
    unsettled.map(({ memberId: id }) => ({ commerceId, id })),
  );
  const balances = new Map(held.map((row) => [row.memberId, row.balance]));
  for (const { member } of settled)
    if (member !== null) balances.set(member.id, balanceOn(member.lots, today));
  const points = new Map(earned.map((row) => [row.purchaseId, row]));
  return orders.map((order) => ({
    ...order,
    points: points.get(order.purchaseId ?? 0)?.points ?? 0,
    waiting: points.get(order.purchaseId ?? 0)?.waiting ?? 0,
    balance: order.memberId === null ? null : (balances.get(order.memberId) ?? 0),
  }));
}
