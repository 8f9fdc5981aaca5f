import { LRUCache } from 'lru-cache';

/** A bucket for every name, filled at the same rate. */
export interface Buckets {
  readonly perSecond: number;
  /** Takes one from the bucket of that name. Gives 0, or the seconds until there is one to take. */
  take(name: string | number): number;
}

const MOST_NAMES = 100_000;

/**
 * Buckets that fill at `perSecond` and hold `burst`. A bucket is one number: the instant at which it is full again.
 * Of very many names, those not seen for longest are forgotten, and so start full.
 */
export function bucketsOf(
  perSecond: number,
  burst: number,
  now: () => number = performance.now.bind(performance),
): Buckets {
  const stepMs = 1000 / perSecond;
  const buckets = new LRUCache<string | number, { fullAt: number }>({ max: MOST_NAMES });
  return {
    perSecond,
    take(name) {
      const at = now();
      let bucket = buckets.get(name);
      if (bucket === undefined) {
        bucket = { fullAt: at };
        buckets.set(name, bucket);
      }
      const fullAt = Math.max(bucket.fullAt, at) + stepMs;
      const waitMs = fullAt - at - burst * stepMs;
      // A thousandth of a millisecond is rounding.
      if (waitMs > 0.001) return waitMs / 1000;
      bucket.fullAt = fullAt;
      return 0;
    },
  };
}
