import type { Batch } from './batch.ts';

/**
 * Where the calls of a batch run. Several processes hand theirs to one of them, so that the calls of all share transactions: a batch in
 * each would cost as much as a whole one and hold fewer calls.
 */
export interface Writer {
  /** Returns a batch whose calls run there. Where nobody else can run them, they run in `own`. */
  for<Call, Outcome extends object>(name: BatchName, own: Batch<Call, Outcome>): Batch<Call, Outcome>;
}

/** The batches that write, the same in all processes. */
export type BatchName = 'purchases' | 'exchanges' | 'redemptions';

/** Runs all calls in this process. */
export const ownWriter: Writer = { for: (_name, own) => own };
