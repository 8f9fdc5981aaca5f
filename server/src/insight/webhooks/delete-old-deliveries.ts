import { sql, type Database } from '#db/database.ts';
import { deleteOldRows } from '#db/delete-old-rows.ts';

/** Deletes deliveries that were taken or given up more than 30 days ago. Those that wait stay. */
export async function deleteOldDeliveries(database: Database, signal?: AbortSignal): Promise<void> {
  const isOld = sql`state <> 'waiting' and at < now() - interval '30 days'`;
  await deleteOldRows(database, 'webhook_deliveries', isOld, signal);
}
