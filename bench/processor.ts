import { readdir, readFile } from 'node:fs/promises';
import { sql, type Database } from '../server/src/db/database.ts';

const TICKS_A_SECOND = 100;

/**
 * Reads the processor time of a PostgreSQL on this machine, in seconds since it started: all its processes, and
 * those that have ended. Null where it runs elsewhere.
 */
export async function processorOf(database: Database): Promise<() => Promise<number | null>> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database);
  const postmaster = (await statOf(rows[0]!.pid))?.parent;
  return async () => {
    if (postmaster === undefined) return null;
    let ticks = (await statOf(postmaster))!.ended;
    for (const name of await readdir('/proc')) {
      const stat = /^\d+$/.test(name) ? await statOf(Number(name)) : null;
      if (stat !== null && (Number(name) === postmaster || stat.parent === postmaster)) ticks += stat.own;
    }
    return ticks / TICKS_A_SECOND;
  };
}

/** Processor time that one process has used, in seconds. */
export async function secondsOf(pid: number): Promise<number> {
  return ((await statOf(pid))?.own ?? 0) / TICKS_A_SECOND;
}

/** Memory that one process holds, in bytes. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

interface ProcessStat {
  readonly parent: number;
  /** Ticks it used, and the ticks of its children that have ended. */
  readonly own: number;
  readonly ended: number;
}

async function statOf(pid: number): Promise<ProcessStat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The second field is the command's name in brackets and may hold anything; what follows it counts from 3.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return { parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) };
}
