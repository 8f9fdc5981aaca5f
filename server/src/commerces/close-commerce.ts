import { sql, type Database } from '#db/database.ts';
import { forgetKnown } from '#calls/short-memory.ts';

/**
 * Closes a commerce for good: its keys and its id are refused from now on, and nothing is deleted. Closing it
 * again changes nothing; gives whether this call closed it.
 */
export async function closeCommerce(database: Database, commerceId: number): Promise<boolean> {
  const { rows } = await sql`
    update commerces
       set status = 'closed'
     where id = ${commerceId} and status <> 'closed'
    returning id`.execute(database);
  forgetKnown(database);
  return rows.length === 1;
}
