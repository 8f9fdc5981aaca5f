import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { OutcomeUnknown, Overloaded, type Problem } from '#problems/problem.ts';
import type { App } from './server.ts';

/** The calls that are being handled. */
export interface CallTime {
  /** Returns for how long the oldest call has been handled, in milliseconds. 0 if there is none. */
  readonly oldestMs: () => number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The call may take as long as it takes. */
    takesLong?: true;
  }
}

interface Handled {
  readonly since: number;
  giveUp: (reason: Problem) => void;
  readonly onlyReads: boolean;
}

const NOTHING = () => {};

const TICK_MS = 250;

/**
 * Answers 503 to a call that takes longer than `longestMs`, whatever it waits for, unless its route `takesLong`. Its work
 * goes on and may still take effect. Must be called before the routes are added.
 */
export function limitCallTime(app: App, longestMs: number): CallTime {
  // In the order of their start, so the first is the oldest.
  const calls = new Set<Handled>();

  app.addHook('onRoute', (route) => {
    const { handler } = route;
    if (route.config?.takesLong) return;
    route.handler = function (request, reply) {
      const result = handler.call(this, request, reply);
      return isPromise(result) ? limit(result, reply, request.method === 'GET') : result;
    };
  });
  const ticking = setInterval(() => {
    const now = performance.now();
    for (const call of calls) {
      if (now - call.since < longestMs) return;
      calls.delete(call);
      call.giveUp(call.onlyReads ? new Overloaded('the call took too long') : new OutcomeUnknown());
    }
  }, TICK_MS).unref();
  app.addHook('onClose', () => clearInterval(ticking));

  return {
    oldestMs: () => {
      for (const { since } of calls) return performance.now() - since;
      return 0;
    },
  };

  // One promise for each call, because this is on the way of every call.
  function limit(result: Promise<unknown>, reply: FastifyReply, onlyReads: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const giveUp = (reason: Problem) => {
        ignoreLateAnswer(result, reply);
        reject(reason);
      };
      const call: Handled = { since: performance.now(), giveUp, onlyReads };
      calls.add(call);
      const settle =
        <T>(pass: (outcome: T) => void) =>
        (outcome: T) => {
          calls.delete(call);
          // A set that is changed all the time leaves tables behind that hold what was in them, and each other, until a full collection
          // of garbage. Without this they would hold every call with its request.
          call.giveUp = NOTHING;
          pass(outcome);
        };
      result.then(settle(resolve), settle(reject));
    });
  }
}

/** The work goes on after the 503. Its late answer has no reader, and a stream without a reader would stay open. */
function ignoreLateAnswer(result: Promise<unknown>, reply: FastifyReply): void {
  const send = reply.send.bind(reply);
  reply.send = (...payload) => (reply.sent ? reply : send(...payload));
  result.then(
    (late) => late instanceof Readable && late.destroy(),
    () => {},
  );
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise;
}
