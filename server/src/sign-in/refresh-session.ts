import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { Unauthorized } from '#problems/problem.ts';
import type { AccessTokens } from './access-token.ts';
import { judgeRefresh, type KeptToken } from './judge-refresh.ts';
import { newRefreshToken, readRefreshToken, type RefreshToken } from './refresh-token.ts';

export interface Refreshed {
  readonly access: string;
  readonly refresh: string;
}

const NOT_GOOD = 'the refresh token is not valid or has expired';

/**
 * A session goes on: a new access token, and a new refresh token in the place of the old one. A refresh token
 * that was used up before ends the whole session, access tokens included.
 * @throws Unauthorized where the token is none, or its session is over
 */
export async function refreshSession(
  database: Database,
  tokens: AccessTokens,
  refresh: string,
): Promise<Refreshed> {
  const token = readRefreshToken(refresh);
  if (token === null) throw new Unauthorized(NOT_GOOD);
  // The end of a session has to be committed, so the refusal is thrown afterwards.
  const outcome = await transaction(database, (tx) => rotate(tx, token));
  if (outcome === null) throw new Unauthorized(NOT_GOOD);
  if ('ended' in outcome) {
    tokens.forget(outcome.ended);
    throw new Unauthorized(NOT_GOOD);
  }
  return { access: await tokens.issue(outcome, outcome.now), refresh: outcome.refresh };
}

type Outcome = { userId: number; sessionId: number; now: Date; refresh: string } | { ended: number } | null;

async function rotate(tx: Tx, { handle, hash }: RefreshToken): Promise<Outcome> {
  const session = await lockSession(tx, handle);
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
              or replaced_at < clock_timestamp() - interval '10 seconds' and hash <> ${hash}
                 and (${judgement.replaced}::boolean
                      or replaced_at < (select max(replaced_at) from refresh_tokens where session_id = ${session.sessionId})))
    ), replaced as (
      update refresh_tokens
         set replaced_at = clock_timestamp()
       where session_id = ${session.sessionId} and hash = ${hash} and replaced_at is null
    ), given as (
      insert into refresh_tokens (session_id, hash) values (${session.sessionId}, ${next.hash})
    )
    update sessions
       set refreshed_at = clock_timestamp()
     where id = ${session.sessionId}
    returning refreshed_at as now`.execute(tx);
  return { ...session, now: rows[0]!.now, refresh: next.token };
}

/** A session that is not over, by what its tokens carry: 180 days in all, 30 days after its last use. */
async function lockSession(
  tx: Tx,
  handle: Buffer,
): Promise<{ userId: number; sessionId: number } | undefined> {
  const { rows } = await sql<{ userId: number; sessionId: number }>`-- lock-session
    select user_id as "userId", id as "sessionId"
      from sessions
     where handle = ${handle} and ended_at is null
       and ends_at > now() and refreshed_at > now() - interval '30 days'
       for update`.execute(tx);
  return rows[0];
}

/** Read after the lock, at the time of a clock that went on meanwhile. */
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
