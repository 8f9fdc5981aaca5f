import { sql, type Database } from '#db/database.ts';
import { deleteOldRows, emptyOldRows } from '#db/delete-old-rows.ts';

/**
 * Deletes deliveries that were taken or given up more than 30 days ago. Those that wait stay, as at a webhook that is switched off, without
 * what was sent and what came back: they are written anew when they are sent.
 */
export async function deleteOldDeliveries(database: Database, signal?: AbortSignal): Promise<void> {
  const isPast = sql`at < now() - interval '30 days'`;
  await deleteOldRows(database, 'webhook_deliveries', sql`state <> 'waiting' and ${isPast}`, signal);
  const isFull = sql`state = 'waiting' and ${isPast} and (body is not null or answer is not null)`;
  await emptyOldRows(database, 'webhook_deliveries', ['body', 'answer'], isFull, signal);
}
