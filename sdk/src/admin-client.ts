import { createAdminCalls, type AdminClientOptions } from './admin/calls.ts';
import { createDeveloperMethods } from './admin/developers.ts';
import { createMemberMethods } from './admin/members.ts';
import { createMessageMethods } from './admin/messages.ts';
import { createEventMethods } from './admin/events.ts';
import { createOrderMethods } from './admin/orders.ts';
import { createProgramMethods } from './admin/program.ts';
import { createReportMethods } from './admin/reports.ts';
import { createSessionMethods } from './admin/session.ts';
import { createTeamMethods } from './admin/team.ts';
import { createTillMethods } from './admin/till.ts';
import { createWebhookMethods } from './admin/webhooks.ts';

export type AdminClient = ReturnType<typeof createAdminClient>;

/**
 * Creates a client for the back office of one commerce, for the console and for programs of the shop. Each method is
 * named after an operation of `/admin/v1`. Methods that take an `idempotencyKey` take effect only once, even after
 * retries. All other writes are sent once.
 * @throws TypeError if an option is missing or wrong, or if there is a key in a web page
 */
export function createAdminClient(options: AdminClientOptions) {
  const calls = createAdminCalls(options);
  return {
    ...createSessionMethods(calls),
    ...createTillMethods(calls),
    ...createMemberMethods(calls),
    ...createEventMethods(calls),
    ...createOrderMethods(calls),
    ...createProgramMethods(calls),
    ...createMessageMethods(calls),
    ...createReportMethods(calls),
    ...createTeamMethods(calls),
    ...createDeveloperMethods(calls),
    ...createWebhookMethods(calls),
  };
}
