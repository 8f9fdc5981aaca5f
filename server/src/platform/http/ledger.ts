import { createGate, type Gate } from './gate.ts';
import { createBuckets, type Buckets } from './token-bucket.ts';

/** Where limits are counted: in this process, or for several processes together. */
export interface Ledger {
  /** `limit` tells these buckets from those of other limits. */
  buckets(limit: string, perSecond: number, burst: number): Buckets;
  /** The same for a gate. */
  gate(limit: string, most: number): Gate;
}

/** Counts in this process. */
export const ownLedger: Ledger = {
  buckets: (_limit, perSecond, burst) => createBuckets(perSecond, burst),
  gate: (_limit, most) => createGate(most),
};
