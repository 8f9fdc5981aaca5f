import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { whyNoRefreshToken } from '#http/refused-credentials.ts';
import { Unauthorized } from '#problems/problem.ts';
import type { AccessTokens, SessionScope } from './access-token.ts';
import { judgeRefresh, type KeptToken } from './judge-refresh.ts';
import { newRefreshToken, readRefreshToken, type RefreshToken } from './refresh-token.ts';

export interface Refreshed {
  readonly access: string;
  readonly refresh: string;
}

const INVALID_TOKEN = 'the refresh token is not valid or has expired: sign in again';

/**
 * Renews a session: issues a new access token, and a new refresh token that replaces the old one. A refresh token that
 * was already used up ends the whole session, including its access tokens. Under the scope `commerce`, a token of another
 * commerce is refused and changes nothing.
 * @throws Unauthorized if the text is not a token, or its session is over or not good here
 */
export async function refreshSession(
  database: Database,
  tokens: AccessTokens,
  { commerceId, refresh }: { commerceId: number; refresh: string },
): Promise<Refreshed> {
  const token = readRefreshToken(refresh);
  if (token === null) throw new Unauthorized('refresh_refused', whyNoRefreshToken(refresh) ?? INVALID_TOKEN);
  // The end of the session must be committed, so the error is thrown after the transaction.
  const outcome = await transaction(database, (tx) => rotateToken(tx, tokens.scope, commerceId, token));
  if (outcome === null) throw new Unauthorized('refresh_refused', INVALID_TOKEN);
  if ('ended' in outcome) {
    tokens.forgetSession(outcome.ended);
    throw new Unauthorized('refresh_refused', INVALID_TOKEN);
  }
  return { access: await tokens.issue({ ...outcome, commerceId }, outcome.now), refresh: outcome.refresh };
}

type Outcome = { userId: number; sessionId: number; now: Date; refresh: string } | { ended: number } | null;

async function rotateToken(
  tx: Tx,
  scope: SessionScope,
  commerceId: number,
  { handle, hash }: RefreshToken,
): Promise<Outcome> {
  const session = await lockSession(tx, scope, commerceId, handle);
  if (session === undefined) return null;
  const kept = await readTokens(tx, session.sessionId);
  const judgement = judgeRefresh(kept, hash);
  if (!judgement.good) {
    await endForReuse(tx, session.sessionId);
    return { ended: session.sessionId };
  }

  const next = newRefreshToken(handle);
  const { rows } = await sql<{ now: Date }>`-- rotate-refresh
    with forgotten as (
      delete from refresh_tokens
       where session_id = ${session.sessionId}
         and (hash = any(${[...judgement.voided]}::bytea[])
              or replaced_at < statement_timestamp() - interval '10 seconds' and hash <> ${hash}
                 and (${judgement.replaced}::boolean
                      or replaced_at < (select max(replaced_at) from refresh_tokens where session_id = ${session.sessionId})))
    ), replaced as (
      update refresh_tokens
         set replaced_at = statement_timestamp()
       where session_id = ${session.sessionId} and hash = ${hash} and replaced_at is null
    ), given as (
      insert into refresh_tokens (session_id, hash) values (${session.sessionId}, ${next.hash})
    )
    update sessions
       set refreshed_at = statement_timestamp(), commerce_only = ${scope === 'commerce'}
     where id = ${session.sessionId}
    returning refreshed_at as now`.execute(tx);
  return { ...session, now: rows[0]!.now, refresh: next.token };
}

/**
 * Locks a live session by its tokens' handle. A session lasts 180 days, and 30 days after its last use. Under the scope
 * `commerce`, only finds sessions of this commerce alone, so the others are neither judged nor ended.
 */
async function lockSession(
  tx: Tx,
  scope: SessionScope,
  commerceId: number,
  handle: Buffer,
): Promise<{ userId: number; sessionId: number } | undefined> {
  const { rows } = await sql<{ userId: number; sessionId: number }>`-- lock-session
    select user_id as "userId", id as "sessionId"
      from sessions
     where handle = ${handle} and ended_at is null
       and ends_at > now() and refreshed_at > now() - interval '30 days'
       and (${scope === 'installation'}::boolean or commerce_only and commerce_id = ${commerceId})
       for update`.execute(tx);
  return rows[0];
}

/** Must run after the lock. Uses `clock_timestamp()`, because the transaction may have waited for the lock. */
async function readTokens(db: Db, sessionId: number): Promise<KeptToken[]> {
  const { rows } = await sql<KeptToken>`-- read-refresh-tokens
    select hash,
           replaced_at is not null as "isReplaced",
           coalesce(replaced_at > clock_timestamp() - interval '10 seconds', false) as "isFreshlyReplaced",
           coalesce(replaced_at = max(replaced_at) over (), false) as "isUsedLast",
           issued_at < clock_timestamp() - interval '2 seconds' as "isSettled"
      from refresh_tokens
     where session_id = ${sessionId}`.execute(db);
  return rows;
}

async function endForReuse(tx: Tx, sessionId: number): Promise<void> {
  await sql`-- end-reused-session
    update sessions
       set ended_at = now(), end_reason = 'reuse'
     where id = ${sessionId}`.execute(tx);
}
