import type { CapName, Caps } from '#base/caps.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { callerFrom, type HashedNetwork } from './known-network.ts';
import { lockAddress } from './lock-address.ts';
import type { CodeOwner } from './one-time-code.ts';
import { countTowardsCaps, reachedCap, type CountedTowardsCaps, type WideCap } from './wide-caps.ts';

/** Where a try comes from. */
export interface TrySource {
  /** The network as `clientNetworkOf` returns it. */
  readonly network: string;
  readonly hashed: HashedNetwork;
  readonly wideCaps: readonly WideCap[];
}

/** A try that was counted against a valid code. */
export interface CountedTry {
  /** The hash of the valid code. */
  readonly hash: Buffer;
  /** The row that counts this try as a failure, until the code turns out to be right. */
  readonly failureId: number;
  /** The count towards the wide caps; null if the try comes from a known network. */
  readonly wide: CountedTowardsCaps | null;
}

/**
 * Counts a try of a code as a failure and commits it before anything is compared, so a hundred tries at once count as a
 * hundred. Returns undefined if there is no valid code or a limit is reached. A code may be tried 5 times. In 24 hours
 * an address may fail 20 times from one client network and 100 times in all, of which half is reserved for known
 * networks. A new code does not reset these limits. The wide caps apply to all networks but the known ones.
 */
export async function countTry(
  database: Database,
  owner: CodeOwner,
  source: TrySource,
  caps: Caps,
): Promise<CountedTry | undefined> {
  // Checked without a lock first, so that a flood of tries holds no connection and waits for no lock.
  const cap = await findReachedLimit(database, owner, source);
  if (cap === undefined) return undefined;
  if (cap !== null) {
    caps.refused(cap);
    return undefined;
  }
  const tried = await transaction(database, async (tx) => {
    await lockAddress(tx, owner.email);
    return insertTry(tx, owner, source);
  });
  if (tried === undefined) return undefined;
  const { hash, failureId, isKnown } = tried;
  if (isKnown) return { hash, failureId, wide: null };
  const { counted, exceeded } = await countTowardsCaps(database, source.wideCaps);
  if (exceeded === undefined) return { hash, failureId, wide: counted };
  caps.refused(exceeded.name);
  return undefined;
}

/**
 * Returns the limit that is reached, null if none is, and undefined if there is no valid code. Does not see tries that
 * are not committed yet.
 */
async function findReachedLimit(
  db: Db,
  owner: CodeOwner,
  { network, hashed, wideCaps }: TrySource,
): Promise<CapName | null | undefined> {
  const { rows } = await sql<{ cap: CapName | null }>`-- may-try-code
    with ${callerFrom(hashed)}, ${failuresOf(owner, network)}, ${reachedCap(wideCaps)}
    select case when not (${WITHIN_LIMITS}) then 'sign-in-failures-of-an-address'
                when not caller.is_known then wide.cap
           end as cap
      from sign_in_codes c, failures f, caller, wide
     where ${isLive(owner)}`.execute(db);
  return rows[0]?.cap;
}

interface StoredTry {
  readonly hash: Buffer;
  readonly failureId: number;
  readonly isKnown: boolean;
}

/** Stores the try. The address must be locked. */
async function insertTry(
  tx: Tx,
  owner: CodeOwner,
  { network, hashed }: TrySource,
): Promise<StoredTry | undefined> {
  const { rows } = await sql<StoredTry>`-- count-try
    with ${callerFrom(hashed)}, ${failuresOf(owner, network)}, tried as (
      update sign_in_codes c
         set tries = c.tries + 1
        from failures f, caller
       where ${isLive(owner)} and ${WITHIN_LIMITS}
      returning c.hash, c.email, caller.is_known
    ), failed as (
      insert into sign_in_failures (email, network, from_known_network)
      select email, ${network}::text, is_known from tried
      returning id
    )
    select tried.hash, failed.id as "failureId", tried.is_known as "isKnown" from tried, failed`.execute(tx);
  return rows[0];
}

function failuresOf({ email }: CodeOwner, network: string) {
  return sql`failures as (
      select count(*) as from_all, count(*) filter (where network = ${network}) as from_here,
             count(*) filter (where not from_known_network) as from_strangers
        from sign_in_failures
       where email = ${email} and failed_at > now() - interval '24 hours'
    )`;
}

function isLive({ commerceId, email }: CodeOwner) {
  return sql`c.commerce_id = ${commerceId} and c.email = ${email}
         and c.tries < 5 and c.expires_at > now()`;
}

const WITHIN_LIMITS = sql.raw(
  'f.from_here < 20 and f.from_all < 100 and (not caller.is_stranger or f.from_strangers < 50)',
);
