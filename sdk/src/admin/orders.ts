import type { ShopOrderPage, ShopOrderStatus, WholeShopOrder } from '../admin-wire.ts';
import { cartId, fields, number, optional, queryOf, text } from '../arguments.ts';
import type { CallOptions } from '../call.ts';
import type { AdminCalls } from './calls.ts';

/** The conditions of `listShopOrders`. All that are named must hold. */
export interface ShopOrderFilter {
  member_id?: number;
  status?: ShopOrderStatus;
  /** Days of the first state, in the commerce's time zone. */
  from?: string;
  to?: string;
  cursor?: string;
}

/** The orders of the online shop. */
export function createOrderMethods({ get }: AdminCalls) {
  return {
    /** Returns a page of the orders by their first state, newest first. */
    listShopOrders: async (filter: ShopOrderFilter = {}, callOptions?: CallOptions) =>
      get<ShopOrderPage>(`/orders${queryOf(filter, FILTER)}`, callOptions),

    /** Returns an order with everything that was written for it. */
    getShopOrder: async (order: { external_id: string }, callOptions?: CallOptions) => {
      const { external_id: id } = fields(order, { external_id: cartId });
      return get<WholeShopOrder>(`/orders/${encodeURIComponent(id)}`, callOptions);
    },
  };
}

const FILTER = {
  member_id: optional(number),
  status: optional(text),
  from: optional(text),
  to: optional(text),
  cursor: optional(text),
};
