import { setTimeout as wait } from 'node:timers/promises';
import { Refusal } from '#base/refusal.ts';
import { sqlState, transaction, type Database, type Tx } from '#db/database.ts';

/** Below the second after which PostgreSQL looks for deadlocks, so none ever ends a call, and well below the wait of a call for a lock. */
const LOCK_MS = 500;
const ATTEMPTS = 3_600;

/**
 * Runs work that locks tables against calls. If other transactions hold them for half a second, it lets the calls pass and tries again a second
 * later, for an hour. `before` runs before each try. Returns for how many seconds calls waited at most at a time.
 * @throws Refusal
 */
export async function inShortLock(
  database: Database,
  before: () => Promise<void>,
  work: (tx: Tx) => Promise<unknown>,
  onWaiting: (attempt: number) => void = () => {},
): Promise<number> {
  let longest = 0;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await before();
    onWaiting(attempt);
    const since = performance.now();
    try {
      // On a cluster it may place shards.
      await transaction(database, work, { lockTimeoutMs: LOCK_MS, mayRepeat: false, placesShards: true });
      return Math.max(longest, performance.now() - since) / 1000;
    } catch (error) {
      if (!isInTheWay(error) && !isInTheWay((error as Error).cause)) throw error;
      longest = Math.max(longest, performance.now() - since);
    }
    await wait(1_000);
  }
  throw new Refusal(
    'Other transactions, such as a backup or a report, have held the tables for an hour. Run this again when they have ended.',
  );
}

function isInTheWay(error: unknown): boolean {
  return (
    IN_THE_WAY.includes(sqlState(error) ?? '') ||
    AT_A_MACHINE.test((error as Error | undefined)?.message ?? '')
  );
}

/** What Citus says if a machine could not lock a table. Why is only in a warning. */
const AT_A_MACHINE = /^failure on connection marked as essential: /;

/**
 * A lock took too long, or all of them together, or a call waited for this while this waited for it: on a machine that is so busy that the
 * half second was over late.
 */
const IN_THE_WAY: readonly string[] = ['55P03', '57014', '40P01'];
