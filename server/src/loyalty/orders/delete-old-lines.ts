import { sql, type Database } from '#db/database.ts';
import { deleteOldRows } from '#db/delete-old-rows.ts';

/** Deletes the lines of orders that were last sent so many months ago. 0 keeps them for ever. */
export async function deleteOldOrderLines(
  database: Database,
  months: number,
  signal?: AbortSignal,
): Promise<void> {
  if (months === 0) return;
  const isOld = sql`stored_at < now() - make_interval(months => ${months}::integer)`;
  await deleteOldRows(database, 'order_lines', isOld, signal);
}
