import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sql, type Database } from '../server/src/platform/db/database.ts';
import type { Embedded } from '../server/src/platform/db/embedded/embedded.ts';
import { open } from './database.ts';

/** What a statement cost PostgreSQL. */
export interface StatementCost {
  /** Rows returned, or written by the last part of the statement. */
  readonly rows: number;
  /** Pages of 8 kB that it looked at. */
  readonly pages: number;
  /** Processor time to bind its values, to run it and to send its rows, in microseconds. */
  readonly micros: number;
  readonly walBytes: number;
}

/** Watches all statements of one database of a server that `withCountingServer` started. */
export interface StatementWatch {
  start(): Promise<void>;
  /** Returns a function that tells the cost of a text that was sent since the start. It may hold several statements. */
  stop(): Promise<(text: string) => Promise<StatementCost>>;
  close(): Promise<void>;
}

/**
 * Rows, pages and log come from pg_stat_statements. It measures time by the clock, which on a busy machine runs on while
 * others have the processor; so the time comes from PostgreSQL's own log of the processor time of each message.
 */
export async function watchStatementCosts(
  { adminUrl, folder }: Embedded,
  db: Database,
): Promise<StatementWatch> {
  const admin = open(adminUrl);
  const log = join(folder, 'server.log');
  await sql`create extension if not exists pg_stat_statements`.execute(admin);
  const { rows } = await sql<{ oid: number }>`
    select oid from pg_database where datname = current_database()`.execute(db);
  let before: StatementCounts;
  let from = 0;
  const logTimes = async (state: 'on' | 'off') => {
    await sql`alter system set log_statement_stats = ${sql.raw(state)}`.execute(admin);
    await sql`select pg_reload_conf()`.execute(admin);
    // Sessions read the new setting before their next statement.
    await setTimeout(200);
  };
  return {
    async start() {
      from = (await stat(log)).size;
      before = await readCounts(admin, rows[0]!.oid);
      await logTimes('on');
    },
    async stop() {
      await logTimes('off');
      const after = await readCounts(admin, rows[0]!.oid);
      const times = timesIn((await readFile(log)).toString('latin1', from));
      return async (text) => {
        const ids = await idsOf(admin, db, text);
        const sum = (of: (id: string) => number | undefined) =>
          ids.reduce((all, id) => all + (of(id) ?? 0), 0);
        const grown = (field: keyof StatementCounted) =>
          sum((id) => after.get(id)?.[field]) - sum((id) => before.get(id)?.[field]);
        return {
          rows: grown('rows'),
          pages: grown('pages'),
          micros: sum((id) => times.get(id)),
          walBytes: grown('walBytes'),
        };
      };
    },
    close: () => admin.destroy(),
  };
}

type StatementCounted = Omit<StatementCost, 'micros'>;

/** By PostgreSQL's own id of the statement. */
type StatementCounts = ReadonlyMap<string, StatementCounted>;

async function readCounts(admin: Database, database: number): Promise<StatementCounts> {
  const { rows } = await sql<StatementCounted & { id: string }>`
    select queryid::text as id, sum(rows)::float8 as rows,
           sum(shared_blks_hit + shared_blks_read)::float8 as pages, sum(wal_bytes)::float8 as "walBytes"
      from pg_stat_statements
     where dbid = ${database}
     group by queryid`.execute(admin);
  return new Map(rows.map(({ id, ...counted }) => [id, counted]));
}

/** Processor time in microseconds by the id of the statement, from lines that begin with the id. */
export function timesIn(log: string): Map<string, number> {
  const times = new Map<string, number>();
  const entries = log.matchAll(
    /^(-?\d+)\|LOG: .* STATISTICS\n.*DETAIL: .*\n\s*!\s+([\d.]+) s user, ([\d.]+) s system/gm,
  );
  for (const [, id, user, system] of entries)
    times.set(id!, (times.get(id!) ?? 0) + (Number(user) + Number(system)) * 1e6);
  return times;
}

/**
 * The ids under which the server counts a text, which may hold several statements. PostgreSQL itself tells the id of a
 * statement with a plan; the others are found by their text.
 */
async function idsOf(admin: Database, db: Database, text: string): Promise<string[]> {
  const ids: string[] = [];
  for (const statement of text.split(/;\s*/)) {
    if (isCommand(statement)) {
      const { rows } = await sql<{ id: string }>`
        select distinct queryid::text as id
          from pg_stat_statements
         where query = ${statement.trim().replaceAll(/\b\d+\b/g, '$1')}`.execute(admin);
      ids.push(...rows.map(({ id }) => id));
    } else {
      const { rows } = await db.query(`explain (generic_plan, verbose) ${statement}`, []);
      const lines = (rows as { 'QUERY PLAN': string }[]).map((row) => row['QUERY PLAN']).join('\n');
      const id = /Query Identifier: (-?\d+)/.exec(lines)?.[1];
      if (id !== undefined) ids.push(id);
    }
  }
  return ids;
}

/** Returns true for statements without a plan. */
function isCommand(statement: string): boolean {
  return /^\s*(begin|commit|rollback|savepoint|set|reset|copy)\b/i.test(statement);
}
