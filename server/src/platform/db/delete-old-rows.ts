import { isWithoutConnection } from './database-errors.ts';
import { leaveLocked } from './cluster/shards.ts';
import type { Database, Db } from './database.ts';
import { sql, type Sql } from './sql.ts';
import type { InstallationTable, TenantTable } from './tables.ts';

/** Rows per statement, so that none reaches its time limit. */
const BATCH = 5_000;

/**
 * Deletes the rows of a table for which `isOld` holds, in small statements that commit by themselves. Rows that somebody else has
 * locked are left for the next time. Returns how many were deleted.
 * @param signal ends it after the current statement
 */
export async function deleteOldRows(
  database: Database,
  table: InstallationTable | TenantTable,
  isOld: Sql,
  signal?: AbortSignal,
): Promise<number> {
  const key = await readKey(database, table);
  const matches = key.map((column) => sql`t.${column} = old.${column}`);
  let total = 0;
  let deleted;
  do {
    if (signal?.aborted === true) break;
    // Places in a table (`ctid`) mean nothing to a server that keeps it in parts. The limit is no value, because a plan that suits any limit
    // reads the whole table twice: 0.3 s instead of 0.1 s for a batch where it has 500,000 rows.
    const { rowCount } = await sql`
      delete from ${sql.id(table)} t
       using (select ${sql.join(key)} from ${sql.id(table)} where ${isOld} limit ${sql.lit(BATCH)} ${leaveLocked(database)}) old
       where ${sql.join(matches, sql` and `)}`.execute(database);
    deleted = rowCount ?? 0;
    total += deleted;
  } while (deleted === BATCH);
  return total;
}

/** Returns the columns of the primary key. */
async function readKey(db: Db, table: string): Promise<Sql[]> {
  const { rows } = await sql<{ column: string }>`-- read-primary-key
    select a.attname::text as column
      from pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
     where i.indrelid = ${table}::regclass and i.indisprimary`.execute(db);
  return rows.map(({ column }) => sql.id(column));
}

/**
 * Does all of this, one after the other, also if some of it fails.
 * @throws the first error, once everything else is done
 */
export async function eachOnItsOwn(works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const work of works) {
    try {
      await work();
    } catch (error) {
      errors.push(error);
      // The rest would only wait for one, too.
      if (isWithoutConnection(error)) break;
    }
  }
  if (errors.length > 0) throw errors[0];
}
