import { sql, type Tx } from '#db/database.ts';

/**
 * Locks the mailbox of an address until the end of the transaction, over all commerces, even if nothing is stored about
 * it. The counts of the next statement are then exact.
 */
export async function lockAddress(tx: Tx, email: string): Promise<void> {
  await sql`-- lock-address
    select pg_advisory_xact_lock(${SIGN_IN}::integer, hashtext(mailbox_of(${email})))`.execute(tx);
}

/** A key space that no other advisory lock uses. */
const SIGN_IN = 7_161;
