import type { Batch } from './batch.ts';

/**
 * Where the calls of a batch run. Several processes hand the calls of a commerce to one of them, so that the calls of all share
 * transactions: a batch in each would cost as much as a whole one and hold fewer calls.
 */
export interface Writer {
  /** Returns a batch whose calls run there. Where nobody else can run them, they run in `own`. */
  for<Call extends OfCommerce, Outcome extends object>(
    name: BatchName,
    own: Batch<Call, Outcome>,
  ): Batch<Call, Outcome>;
  /** Resolves once callers of other processes who were just answered could call again, or after `mostMs`. Null if nobody was. */
  callersElsewhere(mostMs: number): Promise<void> | null;
}

/** A call of a commerce. All calls of a commerce run in the same place. */
export interface OfCommerce {
  readonly commerceId: number;
}

/** The batches that write, the same in all processes. */
export type BatchName = 'purchases' | 'exchanges' | 'redemptions';

/** Runs all calls in this process. */
export const ownWriter: Writer = { for: (_name, own) => own, callersElsewhere: () => null };
