import { sql, type Tx } from '#db/database.ts';
import { lockAddress } from './lock-address.ts';

/**
 * Deletes the codes that an address was sent by a commerce, and the times at which they were sent. Locks the mailbox, so no
 * new code is sent before the transaction ends. Comes before all other locks, as it does at a sign-in.
 */
export async function eraseCodes(tx: Tx, commerceId: number, email: string): Promise<void> {
  await lockAddress(tx, email);
  await sql`-- erase-sign-in-codes
    with codes as (
      delete from sign_in_codes where commerce_id = ${commerceId} and email = ${email}
    )
    delete from sign_in_sends where commerce_id = ${commerceId} and email = ${email}`.execute(tx);
}

/** Deletes the sessions of a person: those that were opened at a commerce, or all of them. Their tokens end with them. */
export async function eraseSessions(tx: Tx, userId: number, commerceId: number | 'all'): Promise<void> {
  await sql`-- erase-sessions
    delete from sessions
     where user_id = ${userId} and (${commerceId === 'all'}::boolean or commerce_id = ${commerceId === 'all' ? null : commerceId})`.execute(
    tx,
  );
}

/** Deletes the failures of an address, which count over all commerces. */
export async function eraseFailures(tx: Tx, email: string): Promise<void> {
  await sql`-- erase-sign-in-failures
    delete from sign_in_failures where email = ${email}`.execute(tx);
}
