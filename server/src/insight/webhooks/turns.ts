import { createSemaphore } from '#http/semaphore.ts';
import type { Places } from './take-webhooks.ts';

/** Endpoints that have answered quickly, and those that have not, which are sent to at once by one process. */
const MOST_QUICK = 64;
const MOST_SLOW = 32;
/** A turn gives up its quick place if it waits for an answer for so long. */
const QUICK_MS = 300;
/** With those that have given up their places. */
const MOST = 256;

/** Statements and transactions of all turns at once, so that many turns leave connections to the tills. */
const MOST_QUERIES = 4;
const LONGEST_QUERY_WAIT_MS = 20_000;

/** A turn, as it sees the others. */
export interface Turn {
  /** False if the turn should send nothing more, because its time is over or the service stops. */
  mayGoOn(): boolean;
  /** Ends requests at once. */
  readonly signal: AbortSignal;
  /** Reads or writes in its turn among the others. */
  readonly query: <T>(work: () => Promise<T>) => Promise<T>;
  /** Waits for an answer, until the signal at the latest. If it takes long, the place of the turn goes to another endpoint. */
  readonly waitFor: <T>(answer: Promise<T>) => Promise<T>;
}

/** So long a turn goes on while there is more. */
const TURN_MS = 10_000;

/** Counts the turns of this process, so that endpoints that do not answer take no places from those that do. */
export function createTurns() {
  let [quick, slow] = [0, 0];
  let hasStopped = false;
  const queries = createSemaphore(MOST_QUERIES);
  return {
    most: MOST,

    /** Returns how many more may begin. */
    free: (most: number): Places => {
      const ofQuick = Math.max(0, Math.min(most, MOST_QUICK - quick));
      return { quick: ofQuick, slow: Math.max(0, Math.min(most - ofQuick, MOST_SLOW - slow)) };
    },

    async run(beginsSlow: boolean, signal: AbortSignal, work: (turn: Turn) => Promise<void>): Promise<void> {
      const until = performance.now() + TURN_MS;
      let isSlow = beginsSlow;
      const count = (by: 1 | -1) => (isSlow ? (slow += by) : (quick += by));
      const becomeSlow = () => {
        if (isSlow) return;
        count(-1);
        isSlow = true;
        count(1);
      };
      count(1);
      try {
        await work({
          signal,
          mayGoOn: () => !hasStopped && !signal.aborted && performance.now() < until,
          async query(read) {
            if (!(await queries.enter('', performance.now() + LONGEST_QUERY_WAIT_MS)))
              throw new Error('the database has no time for webhooks');
            try {
              return await read();
            } finally {
              queries.leave('');
            }
          },
          async waitFor(answer) {
            const timer = setTimeout(becomeSlow, QUICK_MS);
            const ended = Promise.withResolvers<never>();
            const end = () => ended.reject(signal.reason as Error);
            if (signal.aborted) end();
            else signal.addEventListener('abort', end, { once: true });
            try {
              // An answer that never came would keep the place for good.
              return await Promise.race([answer, ended.promise]);
            } finally {
              clearTimeout(timer);
              signal.removeEventListener('abort', end);
            }
          },
        });
      } finally {
        count(-1);
      }
    },

    stop: () => void (hasStopped = true),
  };
}
