import { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { Caps } from '#base/caps.ts';
import type { WireIds } from '#batching/wire-ids.ts';
import type { Database } from '#db/database.ts';
import { ownLedger } from '#http/ledger.ts';
import { Overloaded } from '#problems/problem.ts';
import { askInProcess } from '#what-if/ask-in-process.ts';
import type { Question } from '#what-if/what-if.ts';
import { createLine } from './line.ts';
import { progressToWire, whatIfToWire, type WhatIfLine } from './wire.ts';

/** Each replay has a connection and a process of its own. */
const MOST_AT_ONCE = 2;
/** Each waiting caller keeps a connection open. */
const MOST_WAITING = 20;
/** A replay of 1,000,000 purchases takes half a minute on a machine that is not busy. */
const LONGEST_MS = 120_000;
const PROGRESS_EVERY_MS = 200;
/** Proxies close what says nothing for a minute. */
const PLACE_EVERY_MS = 15_000;

export interface WhatIfStreams {
  /**
   * Starts a replay as soon as it is its turn, and resolves with its answer line by line as it goes on. It ends when nobody reads any
   * more, and when it takes too long. A commerce has one, so those of large shops alternate with those of others.
   * @throws Overloaded if one of this commerce is running or waiting, or too many wait
   */
  open(question: Question, memberIds: WireIds, log: FastifyBaseLogger): Promise<Readable>;
  /** Stops all replays. Their callers notice, because the result is missing. */
  stop(): void;
}

export function createWhatIfStreams(
  database: Database,
  caps: Caps,
  { ask = askInProcess, longestMs = LONGEST_MS, ledger = ownLedger } = {},
): WhatIfStreams {
  const commerces = ledger.semaphore('what-ifs of a commerce', 1);
  // The line tells each caller its place in this process. Past it, replays of all processes are counted.
  const replays = ledger.semaphore('what-ifs', MOST_AT_ONCE);
  const line = createLine(MOST_AT_ONCE, MOST_WAITING);
  const running = new Set<Readable>();

  return {
    async open(question, memberIds, log) {
      const commerce = String(question.commerceId);
      if (line.isFull()) throw tooMany('many shops are waiting for what-ifs');
      if (!(await commerces.enter(commerce, performance.now())))
        throw tooMany('a what-if of this commerce is running');
      const stopping = new AbortController();
      const stream = new Readable({ read() {} });
      running.add(stream);
      stream.once('close', () => stopping.abort());
      const write = (one: WhatIfLine) => stream.destroyed || stream.push(`${JSON.stringify(one)}\n`);
      const fail = (reason: 'failed' | 'took_too_long', message: string) =>
        write({ type: 'failure', reason, message });

      const answer = async () => {
        if (!(await waitForTurn(stopping.signal, write))) return;
        const late = AbortSignal.timeout(longestMs);
        let isInside = false;
        try {
          isInside = await replays.enter('', performance.now() + longestMs);
          if (!isInside) fail('took_too_long', 'what-ifs of other shops take too long: try again');
          if (!isInside || stopping.signal.aborted) return;
          write(progressToWire({ done: 0, purchases: 0 }));
          const signal = AbortSignal.any([stopping.signal, late]);
          const whatIf = await ask(database, question, signal, progressTo(write));
          if (whatIf !== null) write({ type: 'result', ...whatIfToWire(whatIf, memberIds) });
          else if (late.aborted) fail('took_too_long', 'the what-if took too long: choose a shorter range');
        } finally {
          if (isInside) replays.leave('');
          line.out();
        }
      };
      void answer()
        .catch((error: unknown) => {
          log.error(error, 'a what-if failed');
          fail('failed', 'the service could not finish the what-if: try again');
        })
        .finally(() => {
          running.delete(stream);
          commerces.leave(commerce);
          stream.push(null);
        });
      return stream;
    },

    stop() {
      for (const stream of running) stream.destroy();
    },
  };

  /** Tells the caller its place as long as it waits. */
  async function waitForTurn(signal: AbortSignal, write: (one: WhatIfLine) => void): Promise<boolean> {
    let place: number | null = null;
    const tell = () => place !== null && write({ type: 'waiting', place });
    const telling = setInterval(tell, PLACE_EVERY_MS).unref();
    try {
      return await line.enter(signal, (now) => {
        place = now;
        tell();
      });
    } finally {
      clearInterval(telling);
    }
  }

  function tooMany(why: string): Overloaded {
    caps.refused('calls-of-a-commerce');
    return new Overloaded(why);
  }
}

/** Lines are small and few, so a caller who reads slowly costs nothing. */
function progressTo(write: (line: WhatIfLine) => void) {
  let since = performance.now();
  return (progress: { done: number; purchases: number }) => {
    if (performance.now() - since < PROGRESS_EVERY_MS) return;
    since = performance.now();
    write(progressToWire(progress));
  };
}
