import type { Order, Told } from './aside-process.ts';
import { startProcess } from './start-process.ts';

/** A process that does one task at a time. */
export interface Helper {
  /** Returns what the process told; null if it took too long or more memory than there is, and had to be ended. */
  run(order: Order, longestMs: number): Promise<Told | null>;
  readonly hasEnded: () => boolean;
  end(): void;
}

/** The heap of the process. Pixels are beside it, and bounded by their number. */
const MOST_MEGABYTES = 384;

/** Starts a process. It knows no secret and no database. */
export function startHelper(): Helper {
  const child = startProcess(new URL('./aside-process.ts', import.meta.url), {
    megabytes: MOST_MEGABYTES,
    env: {},
  });
  let answer: PromiseWithResolvers<Told | null> | null = null;
  let ended = false;
  const settle = (told: Told | null) => {
    answer?.resolve(told);
    answer = null;
  };
  const lose = () => {
    ended = true;
    settle(null);
  };
  child.on('message', (told: Told) => settle(told));
  child.on('exit', lose);
  child.on('error', (error) => {
    answer?.reject(error);
    answer = null;
    child.kill('SIGKILL');
    ended = true;
  });

  return {
    async run(order, longestMs) {
      const { promise } = (answer = Promise.withResolvers<Told | null>());
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
      settle(null);
    },
  };
}
