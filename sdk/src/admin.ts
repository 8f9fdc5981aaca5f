/** The part of the package for the shop's own people: a client for the back office, and its types. */
export { createAdminClient, type AdminClient } from './admin-client.ts';
export { createSetUpClient, type SetUpClient } from './admin/set-up.ts';
export type { AdminClientOptions, Once } from './admin/calls.ts';
export type { MemberSearch, MemberSort } from './admin/members.ts';
export type { MessageToPreview } from './admin/messages.ts';
export type { ShopOrderFilter } from './admin/orders.ts';
export type { PurchaseToTry, WhatIf, WhatIfLine, WhatIfRequest } from './admin/program.ts';
export type { ReportMovementQuery, ReportName, ReportPeopleQuery, ReportQuery } from './admin/reports.ts';
export type { AuditSearch } from './admin/team.ts';
export type { PurchaseToRecord, ToReverse } from './admin/till.ts';
export type { WebhookTerms } from './admin/webhooks.ts';
export { ApiError, ConnectionError, type FailedCall, type ValidationProblem } from './errors.ts';
export type { ErrorCode } from './error-codes.ts';
export { newIdempotencyKey, type CallOptions, type Fetch, type KeyedCallOptions } from './call.ts';
export type * from './admin-wire.ts';
