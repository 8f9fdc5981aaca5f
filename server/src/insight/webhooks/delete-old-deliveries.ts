import { leaveLocked } from '#db/cluster/shards.ts';
import { sql, type Database } from '#db/database.ts';

/** How long deliveries are kept that were taken or given up. */
const KEPT_DAYS = 30;
const BATCH = 5_000;

/** Deletes deliveries that were taken or given up long ago. Those that wait stay. */
export async function deleteOldDeliveries(database: Database, signal?: AbortSignal): Promise<void> {
  let deleted;
  do {
    if (signal?.aborted === true) return;
    const { rows } = await sql`-- delete-old-deliveries
      delete from webhook_deliveries d
       using (select commerce_id, webhook_id, event_id
                from webhook_deliveries
               where state <> 'waiting' and at < now() - make_interval(days => ${KEPT_DAYS}::integer)
               limit ${BATCH}
                 ${leaveLocked(database)}) as old
       where d.commerce_id = old.commerce_id and d.webhook_id = old.webhook_id and d.event_id = old.event_id
      returning 1`.execute(database);
    deleted = rows.length;
  } while (deleted === BATCH);
}
