import { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { Caps } from '#caps.ts';
import type { WireIds } from '#calls/wire-ids.ts';
import type { Database } from '#db/database.ts';
import { createGate } from '#http/gate.ts';
import { Overloaded } from '#problems/problem.ts';
import { askInThread } from '#what-if/ask-in-thread.ts';
import type { Question } from '#what-if/what-if.ts';
import { progressToWire, whatIfToWire, type WhatIfLine } from './wire.ts';

/** Each replay has a connection and a thread of its own. */
const MOST_AT_ONCE = 2;
const PROGRESS_EVERY_MS = 200;

export interface WhatIfStreams {
  /**
   * Starts a replay, and returns its answer line by line as it goes on. It ends when nobody reads any more.
   * @throws Overloaded if one of this commerce is running, or two of others
   */
  open(question: Question, memberIds: WireIds, log: FastifyBaseLogger): Readable;
  /** Stops all replays. Their callers notice, because the result is missing. */
  stop(): void;
}

export function createWhatIfStreams(database: Database, caps: Caps): WhatIfStreams {
  const commerces = createGate(1);
  const all = createGate(MOST_AT_ONCE);
  const running = new Set<Readable>();

  return {
    open(question, memberIds, log) {
      const commerce = String(question.commerceId);
      enter(commerce);
      const stopping = new AbortController();
      const stream = new Readable({ read() {} });
      running.add(stream);
      stream.once('close', () => stopping.abort());
      const write = (line: WhatIfLine) => stream.destroyed || stream.push(`${JSON.stringify(line)}\n`);
      write(progressToWire({ done: 0, purchases: 0 }));

      const answer = async () => {
        const whatIf = await askInThread(database, question, stopping.signal, progressTo(write));
        if (whatIf !== null) write({ type: 'result', ...whatIfToWire(whatIf, memberIds) });
      };
      void answer()
        .catch((error: unknown) => {
          log.error(error, 'a what-if failed');
          write({ type: 'failure', message: 'the service could not finish the what-if: try again' });
        })
        .finally(() => {
          running.delete(stream);
          all.leave('');
          commerces.leave(commerce);
          stream.push(null);
        });
      return stream;
    },

    stop() {
      for (const stream of running) stream.destroy();
    },
  };

  function enter(commerce: string): void {
    if (!commerces.enterAtOnce(commerce)) {
      caps.refused('calls-of-a-commerce');
      throw new Overloaded('a what-if of this commerce is running');
    }
    if (all.enterAtOnce('')) return;
    commerces.leave(commerce);
    caps.refused('calls-of-a-commerce');
    throw new Overloaded('other shops are running what-ifs');
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
