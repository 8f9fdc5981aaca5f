import { sql, type Database, type Sql } from '#db/database.ts';
import { deleteOldRows, eachOnItsOwn } from '#db/delete-old-rows.ts';
import type { InstallationTable } from '#db/tables.ts';

/** Rows that have not mattered to any limit, code or session for at least a day. */
const OLD_ROWS = {
  sign_in_codes: sql`expires_at < now() - interval '1 day'`,
  sign_in_sends: sql`sent_at < now() - interval '2 days'`,
  sign_in_failures: sql`failed_at < now() - interval '2 days'`,
  sign_in_networks: sql`calls[cardinality(calls)] < now() - interval '1 day'`,
  sign_in_known_networks: sql`signed_in_at < now() - interval '180 days'`,
  sign_in_failure_counts: sql`hour < now() - interval '1 day'`,
  // A cluster takes no `coalesce` of what depends on the time zone.
  sessions: sql`(ended_at < now() - interval '1 day'
                 or ended_at is null and (ends_at < now() - interval '1 day' or refreshed_at < now() - interval '31 days'))`,
} as const satisfies Partial<Record<InstallationTable, Sql>>;

/** Deletes old rows in small batches and returns how many. A table that fails keeps no other from it. */
export async function deleteOldSignIns(database: Database, signal?: AbortSignal): Promise<number> {
  let total = 0;
  const tables = Object.entries(OLD_ROWS) as [InstallationTable, Sql][];
  await eachOnItsOwn(
    tables.map(([table, isOld]) => async () => {
      total += await deleteOldRows(database, table, isOld, signal);
    }),
  );
  return total;
}
