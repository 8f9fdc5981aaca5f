import { Unavailable } from '#problems/problem.ts';
import type { App } from './server.ts';

/** The calls that are being handled. */
export interface CallTime {
  /** Returns for how long the oldest call has been handled, in milliseconds. 0 if there is none. */
  oldestMs(): number;
}

interface Handled {
  readonly since: number;
  readonly giveUp: (reason: Unavailable) => void;
}

const LONGEST_MS = 4_500;
const TICK_MS = 250;

/**
 * Answers 503 to a call that takes longer than 4.5 seconds, whatever it waits for. Its work goes on and may still take
 * effect. Must be called before the routes are added.
 */
export function limitCallTime(app: App, longestMs: number = LONGEST_MS): CallTime {
  // In the order of their start, so the first is the oldest.
  const calls = new Set<Handled>();

  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const result = handler.call(this, request, reply) as unknown;
      return isPromise(result) ? limit(result) : result;
    };
  });
  const ticking = setInterval(() => {
    const now = performance.now();
    for (const { since, giveUp } of calls) {
      if (now - since < longestMs) return;
      giveUp(new Unavailable('the call took too long, and it may have taken effect'));
    }
  }, TICK_MS).unref();
  app.addHook('onClose', () => clearInterval(ticking));

  return {
    oldestMs() {
      for (const { since } of calls) return performance.now() - since;
      return 0;
    },
  };

  function limit(result: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = { since: performance.now(), giveUp };
      calls.add(call);
      result.then(
        (value) => {
          calls.delete(call);
          resolve(value);
        },
        (error: Error) => {
          calls.delete(call);
          reject(error);
        },
      );
      function giveUp(reason: Unavailable): void {
        calls.delete(call);
        reject(reason);
      }
    });
  }
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise;
}
