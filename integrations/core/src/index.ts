/** What a plugin of an online shop needs: orders that follow as states, codes at carts, customers, previews and webhooks. */
export type { ShopLine, ShopOrder } from './shop-order.ts';
export { cartToPreview, orderState } from './order-state.ts';
export { memoryOutbox, type FailedOrder, type Outbox, type OutboxCounts, type TakenOrder } from './outbox.ts';
export { POSTGRES_OUTBOX_TABLES, postgresOutbox, type Sql, type SqlValue } from './postgres-outbox.ts';
export { isFromBefore, POSTGRES_INSTALLED_TABLE, readInstalledAt } from './installed.ts';
export {
  followOrders,
  type ConnectionHealth,
  type FollowerOptions,
  type OrderFollower,
  type Sending,
} from './follow-orders.ts';
export { checkService } from './check-service.ts';
export { wordsOf } from './refusals.ts';
export { CodeRefused, codeIn, holdCode } from './cart-codes.ts';
export { discountOf, type Discount, type DiscountTarget, type UsableCode } from './discounts.ts';
export { createPreviews, type Previewed, type PreviewOptions, type ToPreview } from './previews.ts';
export { createCustomers, type CustomerAccount, type CustomerOptions, type Customers } from './customers.ts';
export {
  createReceiver,
  type EventHandlers,
  type HandledEvents,
  type Received,
  type ReceiverOptions,
} from './webhooks.ts';
