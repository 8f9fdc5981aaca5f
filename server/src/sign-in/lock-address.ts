import { sql, type Tx } from '#db/database.ts';

/**
 * Sends and tries of one address go one after the other, over all commerces, whether or not anything is known of
 * it: what is counted by the next statement is then exact. Held to the end of the transaction.
 */
export async function lockAddress(tx: Tx, email: string): Promise<void> {
  await sql`-- lock-address
    select pg_advisory_xact_lock(${SIGN_IN}::integer, hashtext(${email}))`.execute(tx);
}

/** Apart from other locks of the kind. */
const SIGN_IN = 7_161;
