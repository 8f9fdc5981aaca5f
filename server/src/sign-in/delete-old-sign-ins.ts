import type { FastifyBaseLogger } from 'fastify';
import { sql, type Database, type Sql } from '#db/database.ts';

const EVERY_MS = 3_600_000;
/** Rows per statement, so that none reaches its time limit. */
const BATCH = 5_000;

/** Rows that have not mattered to any limit, code or session for at least a day. */
const OLD_ROWS = {
  sign_in_codes: sql`expires_at < now() - interval '1 day'`,
  sign_in_sends: sql`sent_at < now() - interval '2 days'`,
  sign_in_failures: sql`failed_at < now() - interval '2 days'`,
  sign_in_networks: sql`calls[cardinality(calls)] < now() - interval '1 day'`,
  sign_in_known_networks: sql`signed_in_at < now() - interval '180 days'`,
  sign_in_failure_counts: sql`hour < now() - interval '1 day'`,
  sessions: sql`coalesce(ended_at, least(ends_at, refreshed_at + interval '30 days')) < now() - interval '1 day'`,
} as const;

/** Deletes old rows in small batches and returns how many. */
export async function deleteOldSignIns(database: Database): Promise<number> {
  let total = 0;
  for (const [table, isOld] of Object.entries(OLD_ROWS)) {
    let deleted;
    do {
      deleted = await deleteBatch(database, table, isOld);
      total += deleted;
    } while (deleted === BATCH);
  }
  return total;
}

/** Deletes old rows every hour until stopped. Any number of processes may do this. */
export function startDeletingSignIns(
  database: Database,
  log: Pick<FastifyBaseLogger, 'warn'>,
): { stop(): Promise<void> } {
  const deleteOld = async () => {
    try {
      await deleteOldSignIns(database);
    } catch (error) {
      if (!database.trouble.note(error)) log.warn({ err: error }, 'old sign-ins could not be deleted');
    }
  };
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = deleteOld();
  }, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return running;
    },
  };
}

async function deleteBatch(database: Database, table: string, isOld: Sql): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with old as (
      select ctid from ${sql.id(table)} where ${isOld} limit ${BATCH} for update skip locked
    ), deleted as (
      delete from ${sql.id(table)} where ctid = any(array(select ctid from old)) returning 1
    )
    select count(*) from deleted`.execute(database);
  return rows[0]?.count ?? 0;
}
