import { Overloaded } from '#problems/problem.ts';
import type { Order, Ready, Told } from './aside-process.ts';
import { lowerPriority, startProcess } from './start-process.ts';

/** A process that does one task at a time. */
export interface Helper {
  /**
   * Returns what the process told; null if it took too long or more memory than there is, and had to be ended. The time
   * counts from when the process has started. Throws `Overloaded` if it does not start.
   */
  run(order: Order, longestMs: number): Promise<Told | null>;
  readonly hasEnded: () => boolean;
  end(): void;
}

/** The heap of the process. Pixels are beside it, and bounded by their number. */
const MOST_MEGABYTES = 384;
/** Where others keep all cores busy, it starts slowly. */
const LONGEST_START_MS = 20_000;

/**
 * Starts a process. It knows no secret and no database. Its start is short and always the same, so it has the priority of a call. What it
 * works on afterwards comes behind all calls.
 */
export function startHelper(): Helper {
  const child = startProcess(new URL('./aside-process.ts', import.meta.url), {
    megabytes: MOST_MEGABYTES,
    env: {},
    startsAtOnce: true,
  });
  let answer: PromiseWithResolvers<Told | null> | null = null;
  let ended = false;
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const settle = (told: Told | null) => {
    answer?.resolve(told);
    answer = null;
  };
  const lose = () => {
    ended = true;
    start();
    settle(null);
  };
  child.on('message', (told: Ready | Told) => {
    if (!('ready' in told)) return settle(told);
    lowerPriority(child);
    start();
  });
  child.on('exit', lose);
  child.on('error', (error) => {
    answer?.reject(error);
    answer = null;
    child.kill('SIGKILL');
    ended = true;
    start();
  });

  return {
    async run(order, longestMs) {
      const { promise } = (answer = Promise.withResolvers<Told | null>());
      let isLate = false;
      const tooLate = setTimeout(() => {
        isLate = true;
        child.kill('SIGKILL');
        lose();
      }, LONGEST_START_MS);
      await started;
      clearTimeout(tooLate);
      if (isLate) throw new Overloaded('the process that does large work does not start');
      const giveUp = setTimeout(() => {
        child.kill('SIGKILL');
        lose();
      }, longestMs);
      if (ended) settle(null);
      else child.send(order, (error) => error !== null && lose());
      try {
        return await promise;
      } finally {
        clearTimeout(giveUp);
      }
    },
    hasEnded: () => ended,
    end() {
      ended = true;
      child.kill('SIGKILL');
      start();
      settle(null);
    },
  };
}
