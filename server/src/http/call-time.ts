import { OutcomeUnknown, Unavailable, type Problem } from '#problems/problem.ts';
import type { App } from './server.ts';

/** The calls that are being handled. */
export interface CallTime {
  /** Returns for how long the oldest call has been handled, in milliseconds. 0 if there is none. */
  readonly oldestMs: () => number;
}

interface Handled {
  readonly since: number;
  readonly giveUp: (reason: Problem) => void;
  readonly onlyReads: boolean;
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
      const result = handler.call(this, request, reply);
      return isPromise(result) ? limit(result, request.method === 'GET') : result;
    };
  });
  const ticking = setInterval(() => {
    const now = performance.now();
    for (const { since, giveUp, onlyReads } of calls) {
      if (now - since < longestMs) return;
      // The call leaves the set when its promise is settled, in a moment.
      giveUp(onlyReads ? new Unavailable('the call took too long') : new OutcomeUnknown());
    }
  }, TICK_MS).unref();
  app.addHook('onClose', () => clearInterval(ticking));

  return {
    oldestMs: () => {
      for (const { since } of calls) return performance.now() - since;
      return 0;
    },
  };

  async function limit(result: Promise<unknown>, onlyReads: boolean): Promise<unknown> {
    const { promise: late, reject: giveUp } = Promise.withResolvers<never>();
    const call = { since: performance.now(), giveUp, onlyReads };
    calls.add(call);
    try {
      return await Promise.race([result, late]);
    } finally {
      calls.delete(call);
    }
  }
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise;
}
