import { storeAuditEntry } from '#audit/store-audit-entry.ts';
import { isWorkingKey } from '#audit/working-key.ts';
import { sql, type Tx } from '#db/database.ts';
import { findMember } from '#members/lock-members.ts';
import { isProved } from '#members/note-proof.ts';
import type { Member } from '#members/member.ts';
import { Problem } from '#problems/problem.ts';
import { normaliseEmail } from '#text/email-address.ts';
import { ACCESS_SECONDS } from './access-token.ts';
import { newHandle } from './refresh-token.ts';

/** A shop that vouches for a customer: its key says that this person is signed in at the shop's own site. */
export interface Vouching {
  readonly commerceId: number;
  readonly keyId: number;
  /** The text as it was sent. */
  readonly email: string;
  /** The network of the shop's server. */
  readonly network: string;
}

/** A session before its access token is signed. It has no refresh token. */
export interface VouchedSession {
  readonly userId: number;
  readonly sessionId: number;
  readonly commerceId: number;
  readonly now: Date;
}

/** Nobody with this address is in the program, or the person has not signed in here by mail yet. The caller does not learn which. */
export class NotVouchable extends Problem {
  constructor() {
    super(
      404,
      'not_a_member',
      'nobody with this address has signed in here: let them sign in with a code once',
      {
        hint: 'Ask for a code with POST /v1/auth/otp/request. From then on you can vouch for them.',
      },
    );
  }
}

/**
 * Opens a session for a member who has proved the address by mail at this commerce before. It joins nobody and links no address. It
 * lasts as long as one access token, and ends with the key.
 * @throws NotVouchable
 */
export async function vouchFor(tx: Tx, vouching: Vouching): Promise<VouchedSession> {
  const { commerceId, keyId } = vouching;
  const member = await findProved(tx, vouching);
  if (member === undefined) throw new NotVouchable();
  const { rows } = await sql<{ sessionId: number; endsAt: Date }>`-- open-vouched-session
    insert into sessions (handle, user_id, commerce_id, commerce_only, vouched_by, ends_at)
    values (${newHandle()}, ${member.userId}, ${commerceId}, true, ${keyId},
            clock_timestamp() + ${ACCESS_SECONDS} * interval '1 second')
    returning id as "sessionId", ends_at as "endsAt"`.execute(tx);
  const { sessionId, endsAt } = rows[0]!;
  await storeAuditEntry(
    tx,
    { kind: 'key', commerceId, keyId, needed: { scope: 'sign_in' }, network: vouching.network },
    { action: 'member.vouch', memberId: member.id },
  );
  const now = new Date(endsAt.getTime() - ACCESS_SECONDS * 1000);
  return { userId: member.userId!, commerceId, sessionId, now };
}

async function findProved(tx: Tx, { commerceId, email }: Vouching): Promise<Member | undefined> {
  const normal = normaliseEmail(email);
  if (normal === null) return undefined;
  const member = await findMember(tx, { commerceId, email: normal });
  if (member?.state !== 'member' || member.userId === null) return undefined;
  if (await isProved(tx, commerceId, member.id)) return member;
  // Who signed in with a release that did not note it.
  const { rows } = await sql`-- find-session-as-proof
    select from sessions
     where user_id = ${member.userId} and commerce_id = ${commerceId} and vouched_by is null
     limit 1`.execute(tx);
  return rows.length === 0 ? undefined : member;
}

/** Selects the sessions `sessions s` that no key or a working one has opened. */
export const isOfWorkingKey = sql`(s.vouched_by is null or exists (
  select from api_keys k where k.commerce_id = s.commerce_id and k.id = s.vouched_by and ${isWorkingKey}))`;
