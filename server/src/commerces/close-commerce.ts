import { sql, type Database } from '#db/database.ts';
import { forgetRemembered } from '#calls/short-memory.ts';

/**
 * Closes a commerce for good: from now on its keys and its id are refused, but nothing is deleted. Closing it again
 * changes nothing. Returns true if this call closed it.
 */
export async function closeCommerce(database: Database, commerceId: number): Promise<boolean> {
  const { rows } = await sql`
    update commerces
       set status = 'closed'
     where id = ${commerceId} and status <> 'closed'
    returning id`.execute(database);
  forgetRemembered(database);
  return rows.length === 1;
}
