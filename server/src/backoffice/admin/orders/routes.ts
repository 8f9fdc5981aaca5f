import { Type } from 'typebox';
import { readWireIds } from '#batching/wire-ids.ts';
import { addDays, startOfDay } from '#calendar/calendar.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { StrEnum } from '#http/schema.ts';
import { listOrders } from '#orders/list-orders.ts';
import { createOrderPlaces } from '#orders/order-places.ts';
import { ORDER_STATUSES } from '#orders/order.ts';
import { readOrderAnswer } from '#orders/read-order-answer.ts';
import type { SecretKeys } from '#settings/secret-key.ts';
import { CartId } from '#vouchers/cart-id.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import { memberId } from '../till/wire.ts';
import { readOrderContext, readOrderLines } from './read-order-context.ts';
import { MOST_WRITES, readOrderWrites } from './read-order-writes.ts';
import {
  orderLineToWire,
  orderWriteToWire,
  shopOrderToWire,
  ShopOrderPageSchema,
  WholeShopOrderSchema,
  type OrderIds,
} from './wire.ts';

const tags = ['Orders'];
const day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', description, examples: ['2026-11-01'] }));

/** Shows the orders that an online shop has sent. */
export function adminOrderRoutes({
  admin: { adminRead },
  secret,
}: {
  admin: AdminRoutes;
  secret: SecretKeys;
}) {
  return {
    listShopOrders: adminRead({
      role: 'manager',
      schema: {
        operationId: 'listShopOrders',
        summary: 'The orders of the online shop',
        description: 'Those that meet all conditions, by their first state, newest first.',
        tags,
        querystring: Type.Object({
          member_id: Type.Optional({ ...memberId, description: 'Only orders of this member.' }),
          status: Type.Optional(StrEnum(ORDER_STATUSES, { description: 'Only orders in this state.' })),
          from: day('The first day of their first state, in the commerce’s time zone.'),
          to: day('The last day.'),
          cursor: Type.Optional(
            Type.String({ maxLength: 512, description: 'Omit it to get the first page.' }),
          ),
        }),
        response: { 200: ShopOrderPageSchema },
      },
      read: async (db, { commerceId, query: { cursor = '', ...sent } }) => {
        const ids = await readIds(db, commerceId);
        const { timeZone } = (await readCommerce(db, commerceId))!.rules;
        const { member_id: wireId, status, from, to } = sent;
        const places = createOrderPlaces(secret, `shop orders/${commerceId}/${JSON.stringify(sent)}`);
        const page = await listOrders(
          db,
          commerceId,
          {
            // An id that was never handed out finds nothing.
            memberId: wireId === undefined ? undefined : (ids.members.fromWire(wireId) ?? 0),
            status,
            from: from === undefined ? undefined : startOfDay(from, timeZone),
            to: to === undefined ? undefined : startOfDay(addDays(to, 1), timeZone),
          },
          cursor === '' ? null : places.open(cursor),
        );
        const context = await readOrderContext(db, commerceId, page.orders);
        return {
          results: page.orders.map((order) => shopOrderToWire(order, context, ids)),
          next_cursor: page.next && places.seal(page.next),
        };
      },
    }),

    getShopOrder: adminRead({
      role: 'manager',
      schema: {
        operationId: 'getShopOrder',
        summary: 'An order with everything that was written for it',
        description: 'The newest 200 writes: what the shop said, the movements, and what became of codes.',
        tags,
        params: Type.Object({ external_id: CartId('The shop’s own id of the order.') }),
        response: { 200: WholeShopOrderSchema },
      },
      refusals: { 404: 'The order does not exist.' },
      read: async (db, { commerceId, params }) => {
        const ids = await readIds(db, commerceId);
        const order = await readOrderAnswer(db, { commerceId, externalId: params.external_id });
        const context = await readOrderContext(db, commerceId, [order]);
        const writes = await readOrderWrites(db, order);
        const lines = await readOrderLines(db, order);
        return {
          ...shopOrderToWire(order, context, ids),
          lines: lines && lines.map(orderLineToWire),
          writes: writes.slice(0, MOST_WRITES).map((write) => orderWriteToWire(write, ids)),
          has_older_writes: writes.length > MOST_WRITES,
        };
      },
    }),
  };
}

async function readIds(db: Db, commerceId: number): Promise<OrderIds> {
  return {
    purchases: await readWireIds(db, commerceId, 'purchase'),
    members: await readWireIds(db, commerceId, 'member'),
  };
}
