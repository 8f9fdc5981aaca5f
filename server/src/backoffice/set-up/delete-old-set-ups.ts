import { sql, type Database } from '#db/database.ts';
import { deleteOldRows } from '#db/delete-old-rows.ts';

/** Deletes set-up links that ended more than 30 days ago, with the address and the answers. Returns how many it deleted. */
export function deleteOldSetUps(database: Database, signal?: AbortSignal): Promise<number> {
  return deleteOldRows(database, 'set_ups', sql`expires_at < now() - interval '30 days'`, signal);
}
