import { statfs } from 'node:fs/promises';
import { Refusal } from '#base/refusal.ts';
import { findSettledId } from '#points/settled-id.ts';
import { MIGRATIONS_LOCK } from '#db/migrate.ts';
import { PARTITIONS_LOCK } from '#db/partitions.ts';
import { onConnection, sql, sqlState, type Database, type Db } from '#db/database.ts';
import { buildKeys, compareCopy, copyNewer, copyOlder, createCopy, dropCopy } from './copy-movements.ts';
import { checkKeys } from './check-keys.ts';
import { readMovements, type Movements } from './read-movements.ts';
import { inShortLock } from './short-lock.ts';
import { swap } from './swap.ts';

export interface Change {
  readonly from: Movements;
  readonly partitions: number;
  /** What the copy takes on the disk of PostgreSQL, about, with its indexes. */
  readonly neededBytes: number;
  /** Null if this machine cannot tell. */
  readonly freeBytes: number | null;
  /** What would be done, in sentences. Empty if everything is as it should be. */
  readonly steps: readonly string[];
}

/** Finds what `partition` would do. Changes nothing. @throws Refusal */
export async function planPartitions(database: Database, partitions: number): Promise<Change> {
  const from = await readMovements(database);
  if (from.isOther)
    throw new Refusal('The table movements is partitioned already, and not by the hash of commerce_id.');
  const differs = from.partitions !== partitions;
  return {
    from,
    partitions,
    neededBytes: differs ? Math.ceil(from.bytes * 1.2) : 0,
    freeBytes: await readFreeBytes(database),
    steps: [
      ...(from.hasCopy ? ['remove the copy that an interrupted run has left'] : []),
      ...(differs
        ? [
            `copy the rows to ${partitions === 1 ? 'one table' : `${partitions} partitions`}, while calls go on`,
            'build its indexes, and compare it with the table row by row',
            'let calls wait for a moment, copy what is new, put the copy in the place of the table, and delete the table',
          ]
        : []),
      ...(differs || from.unchecked > 0 ? ['check the foreign keys again, while calls go on'] : []),
    ],
  };
}

/** Only a server on this machine shows its disk, and only to a role that may see its settings. */
async function readFreeBytes(db: Db): Promise<number | null> {
  const { rows } = await sql<{ folder: string }>`
    select setting as folder from pg_settings
     where name = 'data_directory' and coalesce(inet_server_addr() << '127.0.0.0/8' or inet_server_addr() = '::1', true)`.execute(
    db,
  );
  if (rows.length === 0) return null;
  try {
    const { bavail, bsize } = await statfs(rows[0]!.folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

interface Progress {
  /** `fraction` is null if it is unknown. */
  readonly onProgress?: (fraction: number | null, words: string) => void;
  /** Called when calls are about to wait, and again each time other transactions were in the way. */
  readonly onWaiting?: (attempt: number) => void;
}

/**
 * Makes `movements` a table in so many partitions, or one table again, while calls go on. An interrupted run has changed nothing, or everything
 * but the check of the foreign keys; the next run removes its copy and goes on. Returns for how many seconds writes waited at most at a time.
 * @throws Refusal
 */
export async function partition(
  database: Database,
  { partitions, neededBytes, freeBytes }: Change,
  { onProgress = () => {}, onWaiting = () => {} }: Progress = {},
): Promise<number> {
  if (freeBytes !== null && freeBytes < neededBytes)
    throw new Refusal(
      `The copy needs ${writeGigabytes(neededBytes)} on the disk of PostgreSQL, and ${writeGigabytes(freeBytes)} are free. Nothing was changed.`,
    );
  return onlyOne(database, async (holder) => {
    await dropCopy(database);
    const now = await readMovements(database);
    if (now.unchecked > 0) await checkKeys(database);
    let seconds = 0;
    if (now.partitions !== partitions) {
      try {
        seconds = await change(database, partitions, holder, { onProgress, onWaiting });
      } catch (error) {
        // If it was already in its place, there is none any more.
        await dropCopy(database).catch(() => {});
        if (sqlState(error) === DISK_FULL)
          throw new Refusal(
            'The disk of PostgreSQL is full. The copy was removed, and nothing was changed.',
            {
              cause: error,
            },
          );
        throw error;
      }
    }
    onProgress(null, 'checking the foreign keys');
    return Math.max(seconds, await checkKeys(database));
  });
}

const DISK_FULL = '53100';

/** Fewer rows are copied in milliseconds, while calls wait. */
const FEW = 500;

async function change(
  database: Database,
  partitions: number,
  holder: number,
  { onProgress, onWaiting }: Required<Progress>,
): Promise<number> {
  const copy = await createCopy(database, partitions);
  let through = await settled(database);
  await copyOlder(database, through, (fraction) => onProgress(fraction, 'copying'));
  onProgress(null, 'building the indexes');
  await buildKeys(database);
  const catchUp = async (): Promise<void> => {
    for (let copied = Infinity; copied > FEW;) {
      const next = await settled(database);
      copied = await copyNewer(database, through, next);
      through = next;
    }
  };
  await catchUp();
  onProgress(null, 'comparing');
  await compareCopy(database, through);
  return inShortLock(database, catchUp, (tx) => swap(tx, { copy, through, holder }), onWaiting);
}

/** Returns an id up to which no more movements come. */
async function settled(database: Database): Promise<number> {
  for (let attempt = 1; attempt <= 600; attempt++) {
    const id = await findSettledId(database);
    if (id !== null) return id;
  }
  throw new Refusal('A transaction that writes movements has been open for an hour. Nothing was changed.');
}

/**
 * Runs the work while no migration, no import of a commerce and no other change of the partitions runs. `holder` is the process of the server
 * that holds the locks.
 */
async function onlyOne<T>(database: Database, work: (holder: number) => Promise<T>): Promise<T> {
  return onConnection(database, async (connection) => {
    const { rows } = await sql<{ isMine: boolean; holder: number }>`
      select pg_try_advisory_lock(${MIGRATIONS_LOCK}::bigint) and pg_try_advisory_lock(${PARTITIONS_LOCK}::bigint) as "isMine",
             pg_backend_pid() as holder`.execute(connection);
    try {
      if (!rows[0]!.isMine)
        throw new Refusal(
          'A migration, an import of a commerce or another `loyalty partition` is running. Nothing was changed.',
        );
      return await work(rows[0]!.holder);
    } finally {
      await sql`select pg_advisory_unlock_all()`.execute(connection).catch(() => {});
    }
  });
}

/** Returns a size as a person reads it. */
export function writeGigabytes(bytes: number): string {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
