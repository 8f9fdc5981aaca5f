import { join } from 'node:path';
import type { Batch } from '#batching/batch.ts';
import type { BatchName, Writer } from '#batching/writer.ts';
import type { Problem } from '#problems/problem.ts';
import { createCallHander } from './hand-over.ts';
import type { Place, ToChild } from './messages.ts';
import { takeCalls, type CallTaker } from './take-calls.ts';

/** The writer of several processes, as one of them sees it: it hands its calls over, or writes for all. */
export interface SharedWriter extends Writer {
  hear(message: ToChild): void;
  /** Writes for all from now on. */
  lead(): Promise<void>;
  /** This process ends: it takes no more calls of others. */
  leave(): void;
  /** Resolves once all that was handed over is answered, in both directions. */
  close(): Promise<void>;
}

/**
 * @param folder where processes find each other; null if there is none, and each runs its own calls
 * @param problemOf what a caller is told of an error, or null for a defect
 */
export function shareWriter(
  folder: string | null,
  { number, tell }: Place,
  problemOf: (error: unknown) => Problem | null,
): SharedWriter {
  const hander = createCallHander();
  const batches = new Map<BatchName, Batch<unknown, object>>();
  let taker: CallTaker | undefined;
  let isLeaving = false;

  return {
    for<Call, Outcome extends object>(name: BatchName, own: Batch<Call, Outcome>): Batch<Call, Outcome> {
      // Calls come back to the batch of the same name, so they have its type.
      batches.set(name, own);
      return hander.for(name, own);
    },

    callersElsewhere: (mostMs) => taker?.callersElsewhere(mostMs) ?? null,

    hear(message) {
      if ('writer' in message) hander.to(message.writer);
    },

    async lead() {
      hander.to(null);
      if (folder === null) return;
      const path = join(folder, String(number));
      taker = await takeCalls(path, batches, problemOf);
      if (isLeaving) taker.leave();
      else tell({ writes: path });
    },

    leave() {
      isLeaving = true;
      taker?.leave();
    },

    async close() {
      await Promise.all([hander.close(), taker?.close()]);
    },
  };
}
