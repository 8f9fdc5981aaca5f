import { setTimeout as sleep } from 'node:timers/promises';
import { sqlState, type Database, type Db } from './database.ts';
import { wasCommitted, type CommitMark } from './cluster/commit-mark.ts';
import { isDistributed } from './cluster/refuse-unnamed-cluster.ts';
import { sql } from './sql.ts';

/** A transaction, as the database knows it. */
export interface Begun {
  /** Its id, from `pg_current_xact_id()`. */
  readonly xid: string;
  /** When it began, by the database's clock. */
  readonly at: string;
}

type Outcome = 'committed' | 'aborted' | 'unknown';

/**
 * Finds out what became of a transaction whose answer to the commit was lost. A transaction that the database still
 * considers open has lost its client, so it is ended first. Returns `unknown` if the database cannot tell, or does not answer
 * within `longestMs`, because the caller is waiting.
 *
 * The coordinator of a cluster knows that a transaction was committed, but not that it was not: its rows may have been committed on another
 * machine before. There the mark of the transaction tells. Without one, such an outcome is unknown, and so it is if the database was made
 * a cluster while this process ran, which its settings do not name.
 * @param cluster the mark of the transaction, if it left one; null on one server
 */
export async function settleCommit(
  db: Database,
  begun: Begun,
  longestMs: number,
  cluster: { readonly mark: CommitMark | null } | null = null,
): Promise<Outcome> {
  const until = performance.now() + longestMs;
  for (let pauseMs = 10; performance.now() < until; pauseMs = Math.min(2 * pauseMs, 200)) {
    try {
      const said = await ask(db, begun);
      if (said === 'committed') return said;
      if (said !== null && cluster === null) return (await isDistributed(db)) ? 'unknown' : said;
      if (said !== null) return cluster?.mark ? await askItsMachine(db, cluster.mark) : 'unknown';
    } catch {
      // The database may be starting again. It is asked until the time is over.
    }
    await sleep(pauseMs);
  }
  return 'unknown';
}

/** Returns null if the transaction is not decided yet. */
async function ask(db: Db, begun: Begun): Promise<Outcome | null> {
  try {
    const found = await readStatus(db, begun);
    if (found.status === 'in progress' && !found.mayBeReused) await endTransaction(db, begun.xid);
    else if (!found.isStandby) return judge(found);
    return null;
  } catch (error) {
    // The id was never handed out by the server as it is now, so nothing of the transaction is left.
    if (sqlState(error) === ID_IN_THE_FUTURE) return 'aborted';
    throw error;
  }
}

async function askItsMachine(db: Database, mark: CommitMark): Promise<Outcome> {
  return (await wasCommitted(db, mark)) ? 'committed' : 'aborted';
}

function judge({ status, mayBeReused }: Status): Outcome {
  if (status === null || (status === 'committed' && mayBeReused)) return 'unknown';
  return status === 'committed' ? 'committed' : 'aborted';
}

const ID_IN_THE_FUTURE = '22023';

interface Status {
  /** Null if the server does not know, or is a standby. */
  readonly status: 'in progress' | 'committed' | 'aborted' | null;
  readonly isStandby: boolean;
  /** True if another transaction may have got the same id. */
  readonly mayBeReused: boolean;
}

/**
 * A crash loses the end of the log that was not written yet, and ids that only this part names are handed out again. So
 * after a crash an id is good only if the checkpoint at the end of the recovery knows it. A standby that takes over makes
 * no such checkpoint, but it knows when the last commit happened that it received.
 */
async function readStatus(db: Db, { xid, at }: Begun): Promise<Status> {
  const { rows } = await sql<Status>`
    with server as (
      select pg_is_in_recovery() as is_standby,
             greatest(pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time()) as started_at,
             pg_last_xact_replay_timestamp() as received_to,
             (split_part(next_xid, ':', 1)::numeric * 4294967296 + split_part(next_xid, ':', 2)::numeric)::text::xid8 as next_xid
        from pg_control_checkpoint()
    )
    select case when not is_standby then pg_xact_status(xid) end as status,
           is_standby as "isStandby",
           started_at > at and xid >= next_xid
             or coalesce(received_to > greatest(started_at, at - interval '1 minute'), false) as "mayBeReused"
      from server, (values (${xid}::text::xid8, ${at}::timestamptz)) as begun(xid, at)`.execute(db);
  return rows[0]!;
}

async function endTransaction(db: Db, xid: string): Promise<void> {
  await sql`
    select pg_terminate_backend(pid)
      from pg_stat_activity
     where backend_xid = ${xid}::text::xid8::xid and pid <> pg_backend_pid()`.execute(db);
}
