import { timingSafeEqual } from 'node:crypto';
import { sql, transaction, type Database, type Tx } from '#db/database.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { normaliseEmail } from '#text/email-address.ts';
import { Problem } from '#problems/problem.ts';
import { findMember } from '#members/lock-members.ts';
import type { AccessTokens, SessionScope } from './access-token.ts';
import { countTry, type CountedTry } from './count-try.ts';
import { hashOfCode, type CodeOwner } from './one-time-code.ts';
import { newHandle, newRefreshToken } from './refresh-token.ts';
import { answerInSteps } from './answer-in-steps.ts';

/** The session that a sign-in opens. */
export interface Session {
  readonly access: string;
  readonly refresh: string;
  readonly userId: number;
  readonly username: string | null;
  readonly email: string;
  readonly phone: string | null;
}

export interface CodeTry {
  readonly commerceId: number;
  /** The text as it was typed. */
  readonly email: string;
  readonly code: string;
  /** The network that the try comes from, as returned by `clientNetworkOf`. */
  readonly network: string;
}

export interface SignInKeys {
  readonly codes: Buffer;
  readonly tokens: AccessTokens;
}

/**
 * The code is wrong, expired, burned or was never requested, or there were too many tries. The caller must not learn
 * which.
 */
export class InvalidCode extends Problem {
  constructor() {
    super(400, 'the code is not valid or has expired');
  }
}

/**
 * A person signs in with the code from the mail. Creates the account if there is none, and joins the commerce's program
 * for the first time or again. A code works once.
 * @throws InvalidCode
 */
export async function verifyCode(database: Database, keys: SignInKeys, attempt: CodeTry): Promise<Session> {
  const { owner, counted } = await answerInSteps(() => checkCode(database, keys.codes, attempt));
  const signedIn = await transaction(database, (tx) => signIn(tx, keys.tokens.scope, owner, counted));
  if (signedIn === null) throw new InvalidCode();
  const { sessionId, now, ...session } = signedIn;
  const { commerceId } = owner;
  const access = await keys.tokens.issue({ userId: session.userId, sessionId, commerceId }, now);
  return { ...session, access };
}

/** Counts the try, then compares. Does the same work if there is no code to compare with. */
async function checkCode(
  database: Database,
  key: Buffer,
  { commerceId, email: text, code, network }: CodeTry,
) {
  const email = normaliseEmail(text);
  const owner = { commerceId, email: email ?? '' };
  const counted = email === null ? undefined : await countTry(database, owner, network);
  const hash = hashOfCode(key, owner, code);
  const right = timingSafeEqual(hash, counted?.hash ?? Buffer.alloc(hash.length));
  if (counted === undefined || !right) throw new InvalidCode();
  return { owner, counted };
}

/** Returns null if the code was used or replaced in the meantime. */
async function signIn(tx: Tx, scope: SessionScope, owner: CodeOwner, counted: CountedTry) {
  if (!(await useUpCode(tx, owner, counted))) return null;
  const { userId } = await enrolMember(tx, owner.commerceId, owner.email);
  const member = await findMember(tx, { commerceId: owner.commerceId, userId });
  const { sessionId, now, refresh } = await openSession(tx, scope, owner.commerceId, userId);
  const { username = null, phone = null } = member ?? {};
  return { userId, username, email: owner.email, phone, refresh, sessionId, now };
}

/** Deletes the code, and the failure that its try was counted as. */
async function useUpCode(
  tx: Tx,
  { commerceId, email }: CodeOwner,
  { hash, failureId }: CountedTry,
): Promise<boolean> {
  const { rows } = await sql`-- use-up-code
    with used as (
      delete from sign_in_codes
       where commerce_id = ${commerceId} and email = ${email} and hash = ${hash}
      returning email
    ), succeeded as (
      delete from sign_in_failures where id = ${failureId} and exists (select from used)
    )
    select from used`.execute(tx);
  return rows.length === 1;
}

async function openSession(tx: Tx, scope: SessionScope, commerceId: number, userId: number) {
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
