import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { sql, type Database } from '../server/src/platform/db/database.ts';

/** The machine that the figures were measured on: they mean nothing without it. */
export interface Machine {
  readonly processors: number;
  readonly processor: string | undefined;
  readonly memoryGb: number;
  readonly node: string;
  /** The settings that decide speed and durability. */
  readonly postgres: Readonly<Record<string, string>>;
}

export async function describeMachine(db: Database): Promise<Machine> {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting
      from pg_settings
     where name in ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'commit_delay', 'shared_buffers')
     order by name`.execute(db);
  return {
    processors: availableParallelism(),
    processor: cpus()[0]?.model,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    postgres: Object.fromEntries(rows.map(({ name, setting }) => [name, setting])),
  };
}

/** The work that a PostgreSQL server has done since it started, in all its databases. */
export interface Used {
  /** Bytes of write-ahead log. */
  readonly wal: number;
  /** Transactions that wrote something. */
  readonly transactions: number;
  /** Processor time of all its processes; null if the server runs on another machine. */
  readonly seconds: number | null;
}

/** Returns a function that looks at the server of this database. */
export async function watchPostgres(db: Database): Promise<() => Promise<Used>> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  const postmaster = (await statOf(rows[0]!.pid))?.parent;
  return async () => {
    const { rows } = await sql<{ wal: number; transactions: number }>`
      select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint as wal,
             pg_snapshot_xmax(pg_current_snapshot())::text::bigint as transactions`.execute(db);
    return { ...rows[0]!, seconds: postmaster === undefined ? null : await secondsOfTree(postmaster) };
  };
}

/** The share of updates of members that touched no index, between 0 and 1. */
export async function hotShare(db: Database): Promise<number> {
  const { rows } = await sql<{ share: number }>`
    select n_tup_hot_upd / greatest(n_tup_upd, 1)::float8 as share
      from pg_stat_user_tables where relname = 'members'`.execute(db);
  return Number(rows[0]!.share.toFixed(4));
}

/** Bytes on disk of one movement with its share of the indexes. Needs fresh statistics. */
export async function bytesPerPurchase(db: Database): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select (pg_table_size(oid) + pg_indexes_size(oid)) / reltuples as bytes
      from pg_class where oid = 'movements'::regclass`.execute(db);
  return Math.round(rows[0]!.bytes);
}

/** Memory that one process holds, in bytes. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

const TICKS_A_SECOND = 100;

/** Processor time of a process and its children, in seconds, including the children that have ended. */
export async function secondsOfTree(root: number): Promise<number> {
  const stats = await Promise.all((await treeOf(root)).map(statOf));
  const ticks = stats.reduce(
    (sum, stat) => sum + (stat?.own ?? 0),
    (await statOf(root))?.ofEndedChildren ?? 0,
  );
  return ticks / TICKS_A_SECOND;
}

/** Returns a process and its children, itself first. */
export async function treeOf(root: number): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(ids.map(statOf));
  return [root, ...ids.filter((_, at) => stats[at]?.parent === root)];
}

/** Ticks that a process or a thread has used; null if there is no such process here. */
async function statOf(id: number | string) {
  const text = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The second field is the name in brackets and may contain anything, so count from the field after it, the third.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return { parent: field(4), own: field(14) + field(15), ofEndedChildren: field(16) + field(17) };
}
