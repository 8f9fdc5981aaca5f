import { fork } from 'node:child_process';
import { setPriority } from 'node:os';
import type { Order, Told } from './aside-process.ts';

/** A process that does one task at a time. */
export interface Helper {
  /** Returns what the process told; null if it took too long or more memory than there is, and had to be ended. */
  run(order: Order, longestMs: number): Promise<Told | null>;
  readonly hasEnded: () => boolean;
  end(): void;
}

/** The heap of the process. Pixels are beside it, and bounded by their number. */
const MOST_MEGABYTES = 384;
/** Calls of the main process come first. */
const NICENESS = 10;

/**
 * Starts a process. It knows no secret and no database. Unlike a thread, it can be ended in the middle of foreign code, and gives
 * all its memory back.
 */
export function startHelper(): Helper {
  const child = fork(new URL('./aside-process.ts', import.meta.url), {
    execArgv: [`--max-old-space-size=${MOST_MEGABYTES}`, '--import', KEEP_COMPILED],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
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
  lowerPriority(child.pid);

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

const KEEP_COMPILED = new URL('../keep-compiled.js', import.meta.url).href;

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // Where that is not allowed, or the process is gone, it works as well.
  }
}
