import { sql, type Database } from '../../server/src/platform/db/database.ts';

/** The locks that were seen on tables. */
export interface Locks {
  /** Those that keep writers or readers of the table out, held by the connections that were watched. */
  readonly held: readonly Held[];
  /** The largest number of connections that waited for a table at once. */
  readonly mostWaiting: number;
  readonly longestWaitMs: number;
  /** A lock that is held for less time than a look takes may be missed. */
  readonly looks: number;
}

export interface Held {
  readonly table: string;
  readonly mode: string;
  /** How often it was taken. */
  readonly times: number;
  /** From the first look in a row that saw it to the last. */
  readonly longestMs: number;
}

interface Seen {
  readonly table: string;
  readonly mode: string;
  readonly waiting: boolean;
  /** By a connection that is watched. */
  readonly watched: boolean;
  readonly waitedMs: number;
}

/** Looks at the locks again and again, as fast as one connection can, until it is told to stop. */
export function watchLocks(db: Database, applicationName: string): () => Promise<Locks> {
  const held = new Map<string, Held>();
  /** The locks that the previous look saw, and since when. */
  let seenSince = new Map<string, number>();
  const stopping = new AbortController();
  let [mostWaiting, longestWaitMs, looks] = [0, 0, 0];

  const look = async () => {
    const rows = await readLocks(db, applicationName);
    const now = performance.now();
    looks++;
    const seen = new Map<string, number>();
    for (const { table, mode, waiting, watched } of rows) {
      if (!watched || waiting || !KEEPS_OUT.has(mode)) continue;
      const key = `${table} ${mode}`;
      const since = seenSince.get(key) ?? now;
      const { times, longestMs } = held.get(key) ?? { times: 0, longestMs: 0 };
      held.set(key, {
        table,
        mode,
        times: seenSince.has(key) ? times : times + 1,
        longestMs: Math.max(longestMs, Math.round(now - since)),
      });
      seen.set(key, since);
    }
    seenSince = seen;
    const waits = rows.filter(({ waiting }) => waiting).map(({ waitedMs }) => waitedMs);
    mostWaiting = Math.max(mostWaiting, waits.length);
    longestWaitMs = Math.max(longestWaitMs, ...waits);
  };
  const watching = (async () => {
    while (!stopping.signal.aborted) await look();
  })();

  return async () => {
    stopping.abort();
    await watching;
    const byTime = [...held.values()].sort((a, b) => b.longestMs - a.longestMs);
    return { held: byTime, mostWaiting, longestWaitMs, looks };
  };
}

const KEEPS_OUT = new Set(['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock']);

async function readLocks(db: Database, applicationName: string): Promise<Seen[]> {
  const { rows } = await sql<Seen>`
    select c.relname as "table", l.mode, not l.granted as waiting, a.application_name = ${applicationName} as watched,
           coalesce(extract(epoch from clock_timestamp() - l.waitstart) * 1000, 0)::float8 as "waitedMs"
      from pg_locks l
      join pg_class c on c.oid = l.relation and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'relation' and l.database = (select oid from pg_database where datname = current_database())
       and (a.application_name = ${applicationName} or not l.granted)`.execute(db);
  return rows;
}
