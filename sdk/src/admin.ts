/** The part of the package for the shop's own people: a client for the back office, and its types. */
export { createAdminClient, type AdminClient } from './admin-client.ts';
export { createSetUpClient, type SetUpClient } from './admin/set-up.ts';
export type { AdminClientOptions, Once } from './admin/calls.ts';
export type { PurchaseToRecord, ToReverse } from './admin/till.ts';
export { ApiError, ConnectionError, type FailedCall, type ValidationProblem } from './errors.ts';
export type { ErrorCode } from './error-codes.ts';
export { newIdempotencyKey, type CallOptions, type Fetch, type KeyedCallOptions } from './call.ts';
export type { BenefitKind, Message } from './wire.ts';
export type * from './admin-wire.ts';
export type * from './admin-wire-program.ts';
export type * from './admin-wire-what-if.ts';
export type * from './admin-wire-developers.ts';
export type * from './admin-wire-messages.ts';
export type * from './admin-wire-reports.ts';
export type * from './admin-wire-set-up.ts';
