import { sql, type Tx } from '#db/database.ts';

/**
 * Deletes what is kept of deliveries about a member: what was sent and what came back. Those that wait stay, because the receiver has to
 * hear of the erasure too; they are written anew when they are sent, without the person. A turn that is being recorded is waited for, and
 * one that is recorded later finds the person erased.
 */
export async function eraseDeliveries(tx: Tx, commerceId: number, memberId: number): Promise<void> {
  await sql`-- lock-webhooks-of-erased
    select from webhooks where commerce_id = ${commerceId} order by id for no key update`.execute(tx);
  await sql`-- erase-deliveries
    delete from webhook_deliveries
     where commerce_id = ${commerceId} and member_id = ${memberId} and state <> 'waiting'`.execute(tx);
  await sql`-- erase-waiting-deliveries
    update webhook_deliveries set body = null, answer = null
     where commerce_id = ${commerceId} and member_id = ${memberId}`.execute(tx);
}
