/** People of the staff and keys of the back office, and what they call. */
import { auditedTransaction } from '#audit/audited-transaction.ts';
import type { Actor, Audited } from '#audit/audited.ts';
import { storeAuditEntry } from '#audit/store-audit-entry.ts';
import { createKey } from '#commerces/api-keys.ts';
import { pinTier, type HeldTier, type TierToPin } from '#corrections/pin-tier.ts';
import { sql, transaction, type Database } from '#db/database.ts';
import type { StaffRole } from '#http/staff-roles.ts';
import { inviteStaff } from '#staff/invite-staff.ts';
import { openStaffSession } from '#staff/staff-session.ts';
import { call, service, type Answer } from './harness.ts';
import { someone } from './sign-in.ts';
import { earlier } from './earlier.ts';

/** Calls of `/admin/v1`, which every caller makes with its own credential. Paths are without that beginning. */
export interface BackOffice {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  delete(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** A signed-in person. */
export interface MadeStaff extends BackOffice {
  readonly staffId: number;
  readonly personId: number;
  readonly email: string;
  readonly token: string;
  /** The headers that a browser sends: cookie, origin and commerce. */
  readonly headers: Record<string, string>;
  /** Lets the last code of the person count as older than 15 minutes. */
  goStale(): Promise<void>;
}

/**
 * A person with a role at a commerce, signed in with a fresh code. `at` invites the same person to a further commerce if
 * `email` is theirs.
 */
export async function makeStaff(
  at: { readonly id: number },
  role: StaffRole,
  { email = someone(role) }: { readonly email?: string } = {},
): Promise<MadeStaff> {
  const { db, url } = await service();
  const { staffId } = await auditedTransaction(db, commandLine(at.id), (tx) =>
    inviteStaff(tx, at.id, { email, role }),
  );
  const { rows } = await sql<{ personId: number }>`
    select person_id as "personId" from staff where commerce_id = ${at.id} and id = ${staffId}`.execute(db);
  const { personId } = rows[0]!;
  const token = await transaction(db, (tx) => openStaffSession(tx, personId));
  const headers = { cookie: `session=${token}`, origin: url, 'x-commerce-id': String(at.id) };
  return {
    ...backOffice(headers),
    staffId,
    personId,
    email,
    token,
    headers,
    goStale: async () =>
      void (await sql`
        update staff_sessions set proved_at = ${earlier('proved_at', '16 minutes')}
         where person_id = ${personId}`.execute(db)),
  };
}

/** A key of the back office with a role. */
export async function makeStaffKey(
  at: { readonly id: number },
  role: StaffRole,
): Promise<BackOffice & { readonly id: number; readonly key: string }> {
  const { db } = await service();
  const { id, key } = await createKey(db, at.id, `${role} script`, { role });
  return { ...backOffice({ authorization: `Bearer ${key}` }), id, key };
}

/** The actor for whom a test runs a use case without HTTP. */
export function commandLine(commerceId: number): Actor {
  return { kind: 'command_line', commerceId, user: 'test' };
}

/** Calls with these headers. */
export function backOffice(own: Record<string, string>): BackOffice {
  const send =
    (method: string) =>
    (path: string, body?: unknown, more: Record<string, string> = {}) =>
      call(method, `/admin/v1/${path}`, {
        headers: { ...own, ...more },
        ...(body !== undefined && { body }),
      });
  return {
    get: (path, more = {}) => call('GET', `/admin/v1/${path}`, { headers: { ...own, ...more } }),
    post: send('POST'),
    put: send('PUT'),
    patch: send('PATCH'),
    delete: send('DELETE'),
  };
}

/** Pins a tier from the command line, and notes it in the audit, as every pin is. */
export async function pinFromCommandLine(db: Database, pin: TierToPin): Promise<Audited<HeldTier>> {
  return transaction(db, async (tx) => {
    const pinned = await pinTier(tx, pin);
    if (pinned.entry !== null) await storeAuditEntry(tx, commandLine(pin.commerceId), pinned.entry);
    return pinned;
  });
}
