import type { FastifyBaseLogger } from 'fastify';
import { takeClockMove } from '#commerces/clock-moves.ts';
import type { Database } from '#db/database.ts';
import { carryOutMove } from './advance-clock.ts';

const POLL_MS = 2_000;

export interface ClockMover {
  /** Looks for moves at once. */
  wake(): void;
  /** Leaves the move that is being carried out at the next day on which something falls due. Another process goes on. */
  stop(): Promise<void>;
}

/** Carries out all moves of sandbox clocks that were asked for and that no other process carries out. */
export async function moveClocks(
  database: Database,
  log: Pick<FastifyBaseLogger, 'warn'>,
  signal?: AbortSignal,
): Promise<void> {
  const isStopped = () => signal?.aborted === true;
  while (!isStopped()) {
    const move = await takeClockMove(database);
    if (move === null) return;
    try {
      await carryOutMove(database, move, signal);
    } catch (error) {
      if (!isStopped() && !database.trouble.note(error))
        log.warn({ err: error, commerceId: move.commerceId }, 'a clock stopped on its way');
    }
  }
}

/** Does so until it is stopped. Any number of processes may do this. */
export function startMovingClocks(database: Database, log: Pick<FastifyBaseLogger, 'warn'>): ClockMover {
  const stopping = new AbortController();
  let running = Promise.resolve();
  const look = async () => {
    try {
      await moveClocks(database, log, stopping.signal);
    } catch (error) {
      if (!database.trouble.note(error)) log.warn({ err: error }, 'moves of clocks could not be read');
    }
  };
  const wake = () => void (running = running.then(look));
  const timer = setInterval(wake, POLL_MS);
  return {
    wake,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await running;
    },
  };
}
