import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from './caller.ts';
import type { Tally } from './attack.ts';

interface Waves {
  /** Calls that are sent at the same moment. */
  readonly connections: number;
  /** At most. Connections that still wait for an answer skip the next wave. */
  readonly perSecond: number;
  readonly isOver: () => boolean;
}

/** Sends calls in waves: as many at once as there are connections, at a bounded rate. */
export async function sendWaves(
  { connections, perSecond, isOver }: Waves,
  send: (n: number) => Promise<Reply>,
): Promise<Tally> {
  const tally: Tally = {};
  const waiting = new Set<Promise<unknown>>();
  let sent = 0;
  for (let wave = 1, start = performance.now(); !isOver(); wave++) {
    for (let free = connections - waiting.size; free > 0; free--) {
      const call = send(sent++)
        .then(({ status }) => (tally[status] = (tally[status] ?? 0) + 1))
        .finally(() => waiting.delete(call));
      waiting.add(call);
    }
    await sleep(Math.max(1, start + (wave * connections * 1_000) / perSecond - performance.now()));
  }
  await Promise.all(waiting);
  return tally;
}
