import type { AuditPage, StaffMember, StaffRole } from '../admin-wire.ts';
import type { AuditActors, AuditSearch, StaffDevice } from '../admin-wire-developers.ts';
import { queryOf, type CallOptions } from '../call.ts';
import type { Message } from '../wire.ts';
import type { AdminCalls } from './calls.ts';

/** Who works at the commerce, and what they did. */
export function createTeamMethods({ get, post, write, download }: AdminCalls) {
  return {
    /** Returns a page of what people and keys of the back office did, newest first. */
    listAudit: (page: AuditSearch & { cursor?: string | null } = {}, callOptions?: CallOptions) =>
      get<AuditPage>(`/audit${queryOf(page)}`, callOptions),

    /** Returns who can stand behind a line of the audit. */
    listAuditActors: (callOptions?: CallOptions) => get<AuditActors>('/audit/actors', callOptions),

    /** Returns all that people and keys of the back office did, as CSV that is safe to open in a spreadsheet. */
    exportAudit: (search: AuditSearch = {}, callOptions?: { signal?: AbortSignal }) =>
      download('/audit/export', search, callOptions),

    /** Returns the people of the shop. */
    listStaff: (callOptions?: CallOptions) => get<StaffMember[]>('/staff', callOptions),

    /** Gives a person a role and sends them an e-mail. */
    inviteStaff: (person: { email: string; name?: string; role: StaffRole }, callOptions?: CallOptions) =>
      post<StaffMember>('/staff', person, callOptions),

    /** Changes a person's role. It counts from their next call on. */
    changeStaffRole: (staffId: number, change: { role: StaffRole }, callOptions?: CallOptions) =>
      write<StaffMember>('PATCH', `/staff/${staffId}`, change, callOptions),

    /** Removes a person from the commerce. Their next call there is refused. */
    removeStaff: (staffId: number, callOptions?: CallOptions) =>
      write<Message>('DELETE', `/staff/${staffId}`, undefined, callOptions),

    /** Returns the devices on which a person is signed in, newest first. */
    listStaffDevices: (staffId: number, callOptions?: CallOptions) =>
      get<StaffDevice[]>(`/staff/${staffId}/devices`, callOptions),

    /** Ends all sessions of a person. */
    signOutStaff: (staffId: number, callOptions?: CallOptions) =>
      post<Message>(`/staff/${staffId}/sign-out`, {}, callOptions),
  };
}
