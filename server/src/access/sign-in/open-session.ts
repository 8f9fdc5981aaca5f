import { sql, type Tx } from '#db/database.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { findMember } from '#members/lock-members.ts';
import { noteProof } from '#members/note-proof.ts';
import type { AccessTokens, SessionScope } from './access-token.ts';
import { rememberNetwork, type HashedNetwork } from './known-network.ts';
import type { CodeKeys, CodeOwner } from './one-time-code.ts';
import { newHandle, newRefreshToken } from './refresh-token.ts';
import type { DerivedKeys } from '#settings/secret-key.ts';

/** The session that a sign-in opens. */
export interface Session {
  readonly access: string;
  readonly refresh: string;
  readonly userId: number;
  readonly username: string | null;
  readonly email: string;
  readonly phone: string | null;
}

export interface SignInKeys extends CodeKeys {
  /** Client networks are hashed with them. */
  readonly networks: DerivedKeys;
}

/** A session before its access token is signed. */
export type OpenedSession = Omit<Session, 'access'> & {
  readonly commerceId: number;
  readonly sessionId: number;
  readonly now: Date;
};

/**
 * Opens a session for a person who has proved that the address is theirs. Creates the account if there is none, joins
 * the commerce's program for the first time or again, and remembers the network.
 */
export async function openSession(
  tx: Tx,
  scope: SessionScope,
  { commerceId, email }: CodeOwner,
  network: HashedNetwork,
): Promise<OpenedSession> {
  const { userId } = await enrolMember(tx, commerceId, email);
  const member = await findMember(tx, { commerceId, userId });
  await noteProof(tx, commerceId, userId);
  await rememberNetwork(tx, network);
  const { sessionId, now, refresh } = await storeSession(tx, scope, commerceId, userId);
  const { username = null, phone = null } = member ?? {};
  return { userId, commerceId, username, email, phone, refresh, sessionId, now };
}

/** Signs the access token, after the session was committed. */
export async function signAccess(tokens: AccessTokens, opened: OpenedSession): Promise<Session> {
  const { commerceId, sessionId, now, ...session } = opened;
  const access = await tokens.issue({ userId: session.userId, sessionId, commerceId }, now);
  return { ...session, access };
}

async function storeSession(tx: Tx, scope: SessionScope, commerceId: number, userId: number) {
  const handle = newHandle();
  const { token, hash } = newRefreshToken(handle);
  const { rows } = await sql<{ sessionId: number; now: Date }>`-- open-session
    with opened as (
      insert into sessions (handle, user_id, commerce_id, commerce_only, ends_at)
      values (${handle}, ${userId}, ${commerceId}, ${scope === 'commerce'}, now() + interval '180 days')
      returning id
    )
    insert into refresh_tokens (session_id, hash)
    select id, ${hash}::bytea from opened
    returning session_id as "sessionId", clock_timestamp() as now`.execute(tx);
  return { ...rows[0]!, refresh: token };
}
