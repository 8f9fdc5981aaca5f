import type { FastifyBaseLogger } from 'fastify';
import { sql, type Database, type Sql } from '#db/database.ts';

const EVERY_MS = 3_600_000;
/** Rows of one statement, so that none runs into its time limit. */
const BATCH = 5_000;

/** What has no bearing on any limit, code or session any more, a day later. */
const FORGOTTEN = {
  sign_in_codes: sql`expires_at < now() - interval '1 day'`,
  sign_in_sends: sql`sent_at < now() - interval '2 days'`,
  sign_in_failures: sql`failed_at < now() - interval '2 days'`,
  sign_in_networks: sql`calls[cardinality(calls)] < now() - interval '1 day'`,
  sessions: sql`coalesce(ended_at, least(ends_at, refreshed_at + interval '30 days')) < now() - interval '1 day'`,
} as const;

/** Deletes what signing in has left behind, in small steps; gives how many rows. */
export async function forgetOldSignIns(database: Database): Promise<number> {
  let total = 0;
  for (const [table, isOld] of Object.entries(FORGOTTEN)) {
    let deleted;
    do {
      deleted = await forgetSome(database, table, isOld);
      total += deleted;
    } while (deleted === BATCH);
  }
  return total;
}

/** Does so every hour until it is stopped; any number of processes may. */
export function startForgettingSignIns(
  database: Database,
  log: Pick<FastifyBaseLogger, 'warn'>,
): { stop(): Promise<void> } {
  const forget = async () => {
    try {
      await forgetOldSignIns(database);
    } catch (error) {
      log.warn({ err: error }, 'old sign-ins could not be deleted');
    }
  };
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = forget();
  }, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return running;
    },
  };
}

async function forgetSome(database: Database, table: string, isOld: Sql): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with old as (
      select ctid from ${sql.id(table)} where ${isOld} limit ${BATCH} for update skip locked
    ), deleted as (
      delete from ${sql.id(table)} where ctid = any(array(select ctid from old)) returning 1
    )
    select count(*) from deleted`.execute(database);
  return rows[0]?.count ?? 0;
}
