import type { Database } from '#db/database.ts';
import { checkWritable, NotWritable } from '#db/writable.ts';
import { Overloaded, Unavailable } from '#problems/problem.ts';

/** Whether this process can serve calls. */
export interface Readiness {
  /** @throws Unavailable with the reason */
  readonly check: () => Promise<void>;
}

/** An answer is good for so long. Anyone may ask, so asking must not put load on the database. */
const KEPT_MS = 500;
/**
 * A call may wait two seconds for its turn and then two for a row that somebody has locked. That takes four, and nothing is
 * wrong with the process. After 4.5 seconds the call is given up.
 */
const OLDEST_CALL_MS = 4_250;

/**
 * Checks that the database answers and can be written to, and that no call has waited for longer than its own limits allow.
 * All callers of half a second share one check.
 */
export function createReadiness(db: Database, oldestCallMs: () => number): Readiness {
  let current: Promise<void> | undefined;
  let until = Infinity;

  return {
    check: () => {
      if (oldestCallMs() > OLDEST_CALL_MS)
        return Promise.reject(new Overloaded('calls are waiting for too long'));
      if (current === undefined || performance.now() > until) {
        until = Infinity;
        current = checkDatabase(db).finally(() => (until = performance.now() + KEPT_MS));
        current.catch(() => {});
      }
      return current;
    },
  };
}

async function checkDatabase(db: Database): Promise<void> {
  try {
    await checkWritable(db);
  } catch (error) {
    db.trouble.note(error);
    throw new Unavailable(error instanceof NotWritable ? error.message : 'the database does not answer');
  }
}
