import { createBatch } from '#calls/batch.ts';
import { sql, type Db } from '#db/database.ts';

/** A session as an access token names it. */
export interface SessionRef {
  readonly sessionId: number;
  readonly userId: number;
}

/** A session that lived when it was looked up, and the database's time then, by two clocks in milliseconds. */
export interface Seen {
  readonly databaseMs: number;
  readonly localMs: number;
}

/** Looks sessions up for all requests of this process; undefined where one has ended, or never was that user's. */
export type SessionReader = (ref: SessionRef) => Promise<Seen | undefined>;

/** Sessions that are asked for while others are looked up go together in the next statement. */
export function createSessionReader(db: Db): SessionReader {
  const batch = createBatch<SessionRef, Seen | undefined>({
    run: (refs) => readSessions(db, refs),
    // A session belongs to a person, not to a shop.
    commerceOf: () => 0,
    mayRepeat: () => true,
  });
  return (ref) => batch.submit(ref);
}

async function readSessions(db: Db, refs: readonly SessionRef[]): Promise<(Seen | undefined)[]> {
  const localMs = performance.now();
  const { rows } = await sql<SessionRef & { now: Date }>`-- find-sessions
    select s.id as "sessionId", s.user_id as "userId", clock_timestamp() as now
      from unnest(${refs.map((ref) => ref.sessionId)}::bigint[]) as wanted(id)
      join sessions s on s.id = wanted.id
     where s.ended_at is null`.execute(db);
  const found = new Map(rows.map((row) => [row.sessionId, row]));
  return refs.map(({ sessionId, userId }) => {
    const row = found.get(sessionId);
    return row?.userId === userId ? { databaseMs: row.now.getTime(), localMs } : undefined;
  });
}
