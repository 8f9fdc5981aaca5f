import { setTimeout as wait } from 'node:timers/promises';
import { readUndecided, SILENT } from '#db/cluster/undecided.ts';
import { sql, type Database, type Db } from '#db/database.ts';
import { remembered } from '#db/memory.ts';

/** Longer than a transaction of the service may take. One that takes longer makes the job wait for its next round. */
const LONGEST_WAIT_MS = 6_000;

/**
 * Returns an id up to which the ledger is complete: no transaction that is still open can add a movement at or below it. Ids are
 * taken in order but committed in any order, so the highest id that can be seen is not enough.
 *
 * Every transaction that inserts into `movements` locks the table in a mode that disturbs nobody, before it takes an id, and until its
 * commit can be seen. So everybody who may have an id up to the last one is among those who hold that lock now, and once these are done,
 * their ids are decided. On a cluster a transaction can outlive its session: it is prepared on a machine, and waits for the coordinator or for
 * that machine. It has another name there, so those that are prepared are looked for once the sessions have ended. Returns null if one of
 * them takes too long.
 */
export async function findSettledId(database: Database, signal?: AbortSignal): Promise<number | null> {
  const last = await readLastId(database);
  const deadline = performance.now() + LONGEST_WAIT_MS;
  const mayWait = () => signal?.aborted !== true && performance.now() <= deadline;
  if (!(await haveEnded(() => readWriters(database), mayWait))) return null;
  if (!(await haveEnded(() => readUndecided(database), mayWait))) return null;
  const known = settled(database);
  known.id = Math.max(known.id, last);
  return last;
}

/** Waits until those that are open now have ended. Returns false if it may not wait so long. */
async function haveEnded(readOpen: () => Promise<string[]>, mayWait: () => boolean): Promise<boolean> {
  let awaited = await readOpen();
  for (let open = awaited; open.length > 0;) {
    if (!mayWait()) return false;
    await wait(20);
    const now = await readOpen();
    // A machine that did not answer may have had any of them.
    if (awaited.includes(SILENT)) awaited = now;
    open = now.filter((one) => one === SILENT || awaited.includes(one));
  }
  return true;
}

/** The last of these ids. It stays one up to which the ledger is complete. */
const settled = remembered(() => ({ id: 0 }));

/**
 * Returns such an id for one commerce. Whoever goes through many commerces asks for each, so one that has nothing younger than what was found
 * before gets that: to ask all machines of a cluster takes a hundred times as long as to look.
 */
export async function findSettledFor(
  database: Database,
  commerceId: number,
  signal?: AbortSignal,
): Promise<number | null> {
  const { id } = settled(database);
  const { rows } = await sql<{ last: number | null }>`-- find-newest-movement
    select max(id) as last from movements where commerce_id = ${commerceId}`.execute(database);
  return id > 0 && (rows[0]!.last ?? 0) <= id ? id : findSettledId(database, signal);
}

/** Returns the highest id that a movement or another event was given; 0 if there is none. Its transaction may still be open. */
export async function readLastId(db: Db): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`-- read-last-movement
    select pg_sequence_last_value(pg_get_serial_sequence('movements', 'id')::regclass) as last`.execute(db);
  return rows[0]!.last ?? 0;
}

/** Returns the transactions that may insert movements. The id of a transaction is never used again. */
async function readWriters(db: Db): Promise<string[]> {
  const { rows } = await sql<{ writer: string }>`-- read-writers-of-movements
    select l.virtualtransaction || '/' || l.pid as writer
      from pg_locks l
     where l.locktype = 'relation' and l.relation in ('movements'::regclass, 'happenings'::regclass)
       and l.database = (select oid from pg_database where datname = current_database())
       and l.mode = 'RowExclusiveLock' and l.granted`.execute(db);
  return rows.map((row) => row.writer);
}
