import { sql, type Database, type Tx } from '#db/database.ts';
import { forgetRemembered } from '#batching/short-memory.ts';

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

/** Closes a commerce and gives its slug free for another one: it is called `slug-id` from now on. Repeating it changes nothing. */
export async function setCommerceAside(tx: Tx, commerceId: number): Promise<void> {
  if (!(await closeCommerce(tx, commerceId))) return;
  await sql`
    update commerces
       set slug = slug || '-' || id
     where id = ${commerceId}`.execute(tx);
}
