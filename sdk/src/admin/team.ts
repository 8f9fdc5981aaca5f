import type { AuditActors, AuditPage, StaffDevice, StaffMember, StaffRole } from '../admin-wire.ts';
import { digits, fields, id, optional, orNull, queryOf, text, type Kinds } from '../arguments.ts';
import type { CallOptions } from '../call.ts';
import type { Message } from '../wire.ts';
import type { AdminCalls } from './calls.ts';

/** The filters of `listAudit` and `exportAudit`. Every field may be left out. */
export interface AuditSearch {
  member_id?: number;
  /** Such as `points.adjust`. */
  action?: string;
  by?: 'staff' | 'key' | 'command_line';
  staff_id?: number;
  key_id?: number;
  /** Days of the commerce's calendar, by real time. Both count. */
  from?: string;
  to?: string;
}

const LINES: Kinds<AuditSearch> = {
  member_id: optional(digits),
  action: optional(text),
  by: optional(text),
  staff_id: optional(digits),
  key_id: optional(digits),
  from: optional(text),
  to: optional(text),
};

/** The people who work at the commerce, and the audit of their acts. */
export function createTeamMethods({ get, post, write, download }: AdminCalls) {
  return {
    /** Returns a page of what people and keys of the back office did, newest first. */
    listAudit: async (page: AuditSearch & { cursor?: string | null } = {}, callOptions?: CallOptions) =>
      get<AuditPage>(`/audit${queryOf(page, { ...LINES, cursor: orNull(text) })}`, callOptions),

    /** Returns who can stand behind a line of the audit. */
    listAuditActors: (callOptions?: CallOptions) => get<AuditActors>('/audit/actors', callOptions),

    /** Returns all that people and keys of the back office did, as CSV that is safe to open in a spreadsheet. */
    exportAudit: async (search: AuditSearch = {}, callOptions?: { signal?: AbortSignal }) =>
      download('/audit/export', fields(search, LINES), callOptions),

    /** Returns the people of the shop. */
    listStaff: (callOptions?: CallOptions) => get<StaffMember[]>('/staff', callOptions),

    /** Gives a person a role and sends them an e-mail. */
    inviteStaff: async (
      person: { email: string; name?: string; role: StaffRole },
      callOptions?: CallOptions,
    ) =>
      post<StaffMember>(
        '/staff',
        fields(person, { email: text, name: optional(text), role: text }),
        callOptions,
      ),

    /** Changes a person's role. It counts from their next call on. */
    changeStaffRole: async (staffId: number, change: { role: StaffRole }, callOptions?: CallOptions) =>
      write<StaffMember>('PATCH', `/staff/${id(staffId)}`, fields(change, { role: text }), callOptions),

    /** Removes a person from the commerce. Their next call there is refused. */
    removeStaff: async (staffId: number, callOptions?: CallOptions) =>
      write<Message>('DELETE', `/staff/${id(staffId)}`, undefined, callOptions),

    /** Returns the devices on which a person is signed in, newest first. */
    listStaffDevices: async (staffId: number, callOptions?: CallOptions) =>
      get<StaffDevice[]>(`/staff/${id(staffId)}/devices`, callOptions),

    /** Ends all sessions of a person. */
    signOutStaff: async (staffId: number, callOptions?: CallOptions) =>
      post<Message>(`/staff/${id(staffId)}/sign-out`, {}, callOptions),
  };
}
