import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from './database.ts';
import { sql } from './sql.ts';

/** How long to ask. The caller is waiting. */
const LONGEST_MS = 2_500;

/**
 * Finds out what became of a transaction whose answer to the commit was lost. A transaction that the database still
 * considers open has lost its client, so it is ended first. Returns `unknown` if the database does not answer in time or
 * knows nothing of it, such as a standby that was promoted.
 * @param xid the transaction's id, from `pg_current_xact_id()`
 */
export async function settleCommit(db: Db, xid: string): Promise<'committed' | 'aborted' | 'unknown'> {
  const until = performance.now() + LONGEST_MS;
  for (let pauseMs = 10; performance.now() < until; pauseMs = Math.min(2 * pauseMs, 200)) {
    try {
      const status = await readStatus(db, xid);
      if (status === 'committed' || status === 'aborted') return status;
      if (status === null) return 'unknown';
      await endTransaction(db, xid);
    } catch {
      // The database may be starting again. It is asked until the time is over.
    }
    await sleep(pauseMs);
  }
  return 'unknown';
}

async function readStatus(db: Db, xid: string): Promise<string | null | undefined> {
  const { rows } = await sql<{ status: string | null }>`
    select pg_xact_status(${xid}::text::xid8) as status`.execute(db);
  return rows[0]?.status;
}

async function endTransaction(db: Db, xid: string): Promise<void> {
  await sql`
    select pg_terminate_backend(pid)
      from pg_stat_activity
     where backend_xid = ${xid}::text::xid8::xid and pid <> pg_backend_pid()`.execute(db);
}
