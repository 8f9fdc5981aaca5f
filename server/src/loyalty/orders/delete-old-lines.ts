import { leaveLocked } from '#db/cluster/shards.ts';
import { sql, type Database } from '#db/database.ts';
import { deleteInBatches } from '#db/delete-old-rows.ts';

/** Deletes the lines of orders that were last sent so many months ago. 0 keeps them for ever. */
export async function deleteOldOrderLines(
  database: Database,
  months: number,
  signal?: AbortSignal,
): Promise<void> {
  if (months === 0) return;
  await deleteInBatches(async (limit) => {
    const { rows } = await sql`-- delete-old-order-lines
      delete from order_lines l
       using (select commerce_id, external_id from order_lines where stored_at < now() - make_interval(months => ${months}::integer)
               limit ${limit} ${leaveLocked(database)}) as old
       where l.commerce_id = old.commerce_id and l.external_id = old.external_id
      returning 1`.execute(database);
    return rows.length;
  }, signal);
}
