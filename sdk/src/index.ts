/** The public API of the package: a client for a shop's server, one for a member's browser, and their types. */
export {
  createShopClient,
  type ConsumptionFilter,
  type EventFilter,
  type OrderFilter,
  type OrderState,
  type OrderToPreview,
  type RecordedConsumption,
  type RedeemOptions,
  type ShopClient,
  type ShopClientOptions,
} from './shop-client.ts';
export { allocateLines } from './allocate-lines.ts';
export { createMemberClient, type MemberClient, type MemberClientOptions } from './member-client.ts';
export { memoryTokens, webTokens, type Tokens, type TokenStorage } from './tokens.ts';
export { verifyWebhook, WebhookRefused, type WebhookHeaders } from './verify-webhook.ts';
export { ApiError, ConnectionError, type FailedCall, type ValidationProblem } from './errors.ts';
export type { ErrorCode } from './error-codes.ts';
export type { CallOptions, Fetch, KeyedCallOptions } from './call.ts';
export type { StreamOptions } from './lines.ts';
export type * from './wire.ts';
