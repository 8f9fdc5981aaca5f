import { join } from 'node:path';
import type { Batch } from '#batching/batch.ts';
import type { BatchName, OfCommerce, Writer } from '#batching/writer.ts';
import type { Problem } from '#problems/problem.ts';
import { createCallHander, type CallHander } from './hand-over.ts';
import type { Place, ToChild } from './messages.ts';
import { takeCalls, type CallTaker } from './take-calls.ts';

/** The writers of several processes, as one of them sees them: it hands the calls of some commerces over, and writes for others. */
export interface SharedWriter extends Writer {
  /** Takes calls of the others from now on, and says so. */
  open(): Promise<void>;
  hear(message: ToChild): void;
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
  /** One for each process that writes. The commerces are divided among them by their ids. */
  const handers: CallHander[] = [];
  const batches = new Map<BatchName, Batch<unknown, object>>();
  const path = folder === null ? null : join(folder, String(number));
  let taker: CallTaker | undefined;

  return {
    for<Call extends OfCommerce, Outcome extends object>(
      name: BatchName,
      own: Batch<Call, Outcome>,
    ): Batch<Call, Outcome> {
      // Calls come back to the batch of the same name, so they have its type.
      batches.set(name, own);
      return {
        submit(call) {
          const keep = () => own.submit(call);
          const hander = handers[call.commerceId % handers.length];
          return hander?.takes ? hander.hand(name, call, keep) : keep();
        },
        async drained() {
          // What a writer leaves to this process is run here.
          await Promise.all(handers.map((hander) => hander.idle()));
          await own.drained();
        },
        load: () => own.load(),
      };
    },

    callersElsewhere: (mostMs) => taker?.callersElsewhere(mostMs) ?? null,

    async open() {
      if (path === null) return;
      taker = await takeCalls(path, batches, problemOf);
      tell({ writes: path });
    },

    hear(message) {
      if (!('writers' in message)) return;
      for (const [i, writer] of message.writers.entries())
        (handers[i] ??= createCallHander()).to(writer === path ? null : writer);
    },

    leave() {
      taker?.leave();
    },

    async close() {
      await Promise.all([...handers.map((hander) => hander.close()), taker?.close()]);
    },
  };
}
