import { availableParallelism, cpus, totalmem } from 'node:os';
import { sql, type Database } from '../server/src/db/database.ts';

/** What figures were measured on: they mean nothing without it. */
export interface Machine {
  readonly processors: number;
  readonly processor: string | undefined;
  readonly memoryGb: number;
  readonly node: string;
  /** Settings on which speed and durability depend. */
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
