import { sql, type Database, type Tx } from '#db/database.ts';
import { forgetRemembered } from '#calls/short-memory.ts';

/**
 * Closes a commerce for good: from now on its keys and its id are refused, but nothing is deleted. Closing it again
 * changes nothing. Returns true if this call closed it.
 */
export async function closeCommerce(db: Database | Tx, commerceId: number): Promise<boolean> {
  const { rows } = await sql`
    update commerces
       set status = 'closed'
     where id = ${commerceId} and status <> 'closed'
    returning id`.execute(db);
  forgetRemembered(db);
  return rows.length === 1;
}
