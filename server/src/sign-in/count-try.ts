import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { lockAddress } from './lock-address.ts';
import type { CodeOwner } from './one-time-code.ts';

/** A try that was counted against a valid code. */
export interface CountedTry {
  /** The hash of the valid code. */
  readonly hash: Buffer;
  /** The row that counts this try as a failure, until the code turns out to be right. */
  readonly failureId: number;
}

/**
 * Counts a try of a code as a failure and commits it before anything is compared, so a hundred tries at once count as a
 * hundred. Returns undefined and counts nothing if there is no valid code or a limit is reached. A code may be tried 5
 * times. In 24 hours an address may fail 20 times from one client network and 100 times in all. A new code does not
 * reset these limits.
 */
export async function countTry(
  database: Database,
  owner: CodeOwner,
  network: string,
): Promise<CountedTry | undefined> {
  // Checked without a lock first, so that a flood of tries holds no connection and waits for no lock.
  if (!(await mayTry(database, owner, network))) return undefined;
  return transaction(database, async (tx) => {
    await lockAddress(tx, owner.email);
    return insertTry(tx, owner, network);
  });
}

/** Returns true if there is a valid code and no limit is reached. Does not see tries that are not committed yet. */
async function mayTry(db: Db, owner: CodeOwner, network: string): Promise<boolean> {
  const { rows } = await sql`-- may-try-code
    with ${failuresOf(owner, network)}
    select from sign_in_codes c, failures f where ${mayBeTried(owner)}`.execute(db);
  return rows.length === 1;
}

/** Stores the try. The address must be locked. */
async function insertTry(tx: Tx, owner: CodeOwner, network: string): Promise<CountedTry | undefined> {
  const { rows } = await sql<CountedTry>`-- count-try
    with ${failuresOf(owner, network)}, tried as (
      update sign_in_codes c
         set tries = c.tries + 1
        from failures f
       where ${mayBeTried(owner)}
      returning c.hash, c.email
    ), failed as (
      insert into sign_in_failures (email, network)
      select email, ${network}::text from tried
      returning id
    )
    select tried.hash, failed.id as "failureId" from tried, failed`.execute(tx);
  return rows[0];
}

function failuresOf({ email }: CodeOwner, network: string) {
  return sql`failures as (
      select count(*) as from_all, count(*) filter (where network = ${network}) as from_here
        from sign_in_failures
       where email = ${email} and failed_at > now() - interval '24 hours'
    )`;
}

function mayBeTried({ commerceId, email }: CodeOwner) {
  return sql`c.commerce_id = ${commerceId} and c.email = ${email}
         and c.tries < 5 and c.expires_at > now()
         and f.from_here < 20 and f.from_all < 100`;
}
