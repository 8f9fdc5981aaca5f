import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { lockAddress } from './lock-address.ts';
import type { CodeOwner } from './one-time-code.ts';

/** A try that was counted against a live code. */
export interface CountedTry {
  /** The hash of the live code. */
  readonly hash: Buffer;
  /** The failure that it counts as until the code turns out to be right. */
  readonly failureId: number;
}

/**
 * Counts a try of a code, as a failure and committed, before anybody compares anything: a hundred tries at once
 * are a hundred tries. Undefined, and nothing counted, where no code lives or a limit is reached: five tries a
 * code, and for an address in 24 hours 20 failures from one client network and 100 from all. A new code gives
 * back none of them.
 */
export async function countTry(
  database: Database,
  owner: CodeOwner,
  network: string,
): Promise<CountedTry | undefined> {
  // Where nothing is counted, nothing is waited for: a flood of tries holds no connection and no lock.
  if (!(await mayTry(database, owner, network))) return undefined;
  return transaction(database, async (tx) => {
    await lockAddress(tx, owner.email);
    return count(tx, owner, network);
  });
}

/** Whether a code lives and no limit is reached. What others are about to count is not seen yet. */
async function mayTry(db: Db, owner: CodeOwner, network: string): Promise<boolean> {
  const { rows } = await sql`-- may-try-code
    with ${failuresOf(owner, network)}
    select from sign_in_codes c, failures f where ${isOpen(owner)}`.execute(db);
  return rows.length === 1;
}

/** The address must be locked. */
async function count(tx: Tx, owner: CodeOwner, network: string): Promise<CountedTry | undefined> {
  const { rows } = await sql<CountedTry>`-- count-try
    with ${failuresOf(owner, network)}, tried as (
      update sign_in_codes c
         set tries = c.tries + 1
        from failures f
       where ${isOpen(owner)}
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

function isOpen({ commerceId, email }: CodeOwner) {
  return sql`c.commerce_id = ${commerceId} and c.email = ${email}
         and c.tries < 5 and c.expires_at > now()
         and f.from_here < 20 and f.from_all < 100`;
}
