/** The part of the package for the shop's own people: a client for the back office, and its types. */
export {
  createAdminClient,
  type AdminClient,
  type AdminClientOptions,
  type Once,
  type PurchaseToRecord,
} from './admin-client.ts';
export { ApiError, ConnectionError, type FailedCall, type ValidationProblem } from './errors.ts';
export type { ErrorCode } from './error-codes.ts';
export { newIdempotencyKey, type CallOptions, type Fetch, type KeyedCallOptions } from './call.ts';
export type { BenefitKind, Message } from './wire.ts';
export type * from './admin-wire.ts';
export type * from './admin-wire-developers.ts';
