import { isOnCluster } from './cluster/is-on-cluster.ts';
import { sql, type Database, type Sql } from './database.ts';
import type { InstallationTable } from './tables.ts';

/** Rows per statement, so that none reaches its time limit. */
const BATCH = 5_000;

/**
 * Repeats a statement that deletes at most `limit` rows and returns how many it has deleted, until fewer are left. Each commits by itself.
 * Returns how many were deleted together.
 * @param signal ends it after the current statement
 */
export async function deleteInBatches(
  deleteSome: (limit: number) => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  let deleted;
  do {
    if (signal?.aborted === true) break;
    deleted = await deleteSome(BATCH);
    total += deleted;
  } while (deleted === BATCH);
  return total;
}

/**
 * Deletes the rows of a table for which `isOld` holds, in small statements that commit by themselves. Rows that somebody else has
 * locked are left for the next time. Returns how many were deleted. Takes no table of a commerce, because places in a table (`ctid`) mean
 * nothing to a server that keeps it in parts.
 * @param signal ends it after the current statement
 */
export async function deleteOldRows(
  database: Database,
  table: InstallationTable,
  isOld: Sql,
  signal?: AbortSignal,
): Promise<number> {
  // A coordinator knows no places in a table. What it deletes at once, the next round need not.
  if (isOnCluster(database)) {
    const { rows } = await sql`delete from ${sql.id(table)} where ${isOld} returning 1`.execute(database);
    return rows.length;
  }
  return deleteInBatches(async (limit) => {
    const { rows } = await sql<{ count: number }>`
      with old as (
        select ctid from ${sql.id(table)} where ${isOld} limit ${limit} for update skip locked
      ), deleted as (
        delete from ${sql.id(table)} where ctid = any(array(select ctid from old)) returning 1
      )
      select count(*) from deleted`.execute(database);
    return rows[0]?.count ?? 0;
  }, signal);
}
