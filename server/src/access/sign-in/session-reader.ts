import { createBatch } from '#batching/batch.ts';
import { sql, type Database, type Db } from '#db/database.ts';
import { isOfWorkingKey } from './vouch.ts';

/** A session as an access token identifies it. */
export interface SessionRef {
  readonly sessionId: number;
  readonly userId: number;
}

/**
 * A session that was live when it was looked up, with the time of the lookup in milliseconds by the database's clock
 * and by this process's monotonic clock.
 */
export interface SeenSession {
  readonly databaseMs: number;
  readonly localMs: number;
}

/**
 * Looks sessions up for all requests of this process. Returns undefined if the session has ended or belongs to another
 * user.
 */
export type SessionReader = (ref: SessionRef) => Promise<SeenSession | undefined>;

/** Creates a reader that looks up all sessions requested while a statement runs in the next statement. */
export function createSessionReader(db: Database): SessionReader {
  const batch = createBatch<SessionRef, SeenSession | undefined>({
    name: 'read-sessions',
    tracing: db.tracing,
    run: (refs) => readSessions(db, refs),
    // A session belongs to a person, not to a commerce.
    commerceOf: () => 0,
    mayRepeat: () => true,
    longestQueuedMs: db.patience.queuedMs,
  });
  return (ref) => batch.submit(ref);
}

async function readSessions(db: Db, refs: readonly SessionRef[]): Promise<(SeenSession | undefined)[]> {
  const localMs = performance.now();
  const { rows } = await sql<SessionRef & { now: Date }>`-- find-sessions
    select s.id as "sessionId", s.user_id as "userId", clock_timestamp() as now
      from unnest(${refs.map((ref) => ref.sessionId)}::bigint[]) as wanted(id)
      join sessions s on s.id = wanted.id
     where s.ended_at is null and ${isOfWorkingKey}`.execute(db);
  const found = new Map(rows.map((row) => [row.sessionId, row]));
  return refs.map(({ sessionId, userId }) => {
    const row = found.get(sessionId);
    return row?.userId === userId ? { databaseMs: row.now.getTime(), localMs } : undefined;
  });
}
