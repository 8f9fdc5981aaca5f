import { sql, type Tx } from '#db/database.ts';

/**
 * Deletes all mails of a commerce to an address, those that wait and those that were sent. A mail that is being sent at this
 * moment still arrives, but nothing is kept of it.
 */
export async function eraseMails(tx: Tx, commerceId: number, email: string): Promise<void> {
  await sql`-- erase-mails
    delete from outbox where commerce_id = ${commerceId} and recipient = ${email}`.execute(tx);
}
