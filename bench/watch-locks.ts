import { sql, type Database } from '../server/src/db/database.ts';

/** What was seen of the locks on tables. */
export interface Locks {
  /** Held by the connections that were watched; those of mere readers are left out. */
  readonly held: readonly { readonly table: string; readonly mode: string; readonly 'held ms': number }[];
  /** How many of all connections waited for a table at once, at most. */
  readonly mostWaiting: number;
  readonly longestWaitMs: number;
  /** How often it looked: what is held for less than a look takes may be missed. */
  readonly looks: number;
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
  const held = new Map<string, { table: string; mode: string; from: number; to: number }>();
  const stopping = new AbortController();
  let [mostWaiting, longestWaitMs, looks] = [0, 0, 0];

  const look = async () => {
    const rows = await readLocks(db, applicationName);
    const now = performance.now();
    looks++;
    for (const { table, mode, waiting, watched } of rows) {
      if (!watched || waiting || mode === 'AccessShareLock') continue;
      const key = `${table} ${mode}`;
      held.set(key, { table, mode, from: held.get(key)?.from ?? now, to: now });
    }
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
    const times = Array.from(held.values(), ({ table, mode, from, to }) => ({
      table,
      mode,
      'held ms': Math.round(to - from),
    }));
    return { held: times.sort((a, b) => b['held ms'] - a['held ms']), mostWaiting, longestWaitMs, looks };
  };
}

async function readLocks(db: Database, applicationName: string): Promise<Seen[]> {
  const { rows } = await sql<Seen>`
    select c.relname as "table", l.mode, not l.granted as waiting, a.application_name = ${applicationName} as watched,
           coalesce(extract(epoch from clock_timestamp() - l.waitstart) * 1000, 0)::float8 as "waitedMs"
      from pg_locks l
      join pg_class c on c.oid = l.relation and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      join pg_stat_activity a on a.pid = l.pid
     where l.database = (select oid from pg_database where datname = current_database())
       and (a.application_name = ${applicationName} or not l.granted)`.execute(db);
  return rows;
}
