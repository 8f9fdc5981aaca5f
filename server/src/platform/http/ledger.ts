import { createSemaphore, type Semaphore } from './semaphore.ts';
import { createBuckets, type Buckets } from './token-bucket.ts';

/** Where limits are counted: in this process, or for several processes together. */
export interface Ledger {
  /** `limit` tells these buckets from those of other limits. */
  readonly buckets: (limit: string, perSecond: number, burst: number) => Buckets;
  /** The same for a semaphore. */
  readonly semaphore: (limit: string, most: number) => Semaphore;
  readonly sockets: SocketCounts;
}

/** What several processes know about each other's sockets. The network '' stands for all networks. */
export interface SocketCounts {
  /** This process has one more open, or one fewer. */
  changed(network: string, by: 1 | -1): void;
  /** Returns how many the other processes have open, once that matters: well below a limit it is 0. */
  others(network: string): number;
  /** Sets what closes an idle socket here, because there are more than the limit over all processes. It returns false if there is none. */
  onTrim(closeIdle: (network: string) => boolean): void;
}

/** Counts in this process. */
export const ownLedger: Ledger = {
  buckets: (_limit, perSecond, burst) => createBuckets(perSecond, burst),
  semaphore: (_limit, most) => createSemaphore(most),
  sockets: { changed: () => {}, others: () => 0, onTrim: () => {} },
};
