import { createBoundedCache } from '#base/bounded-cache.ts';

/** A bucket for each name, all filled at the same rate. */
export interface Buckets {
  readonly perSecond: number;
  /**
   * Takes tokens from the bucket of `name`, by default one and at most as many as it holds. Returns 0, or the seconds to
   * wait until there are as many. A promise only where somebody else counts.
   */
  take(name: string | number, tokens?: number): number | Promise<number>;
  /**
   * Takes more tokens, even those that are not there yet: `take` has to wait until they are, but for no longer than
   * `longestSeconds` because of this.
   */
  charge(name: string | number, tokens: number, longestSeconds?: number): void;
  /** Puts a token back that turned out not to be needed. */
  giveBack(name: string | number): void;
}

/** Buckets of this process. */
export interface OwnBuckets extends Buckets {
  take(name: string | number, tokens?: number): number;
  /** Returns how many tokens there are now. */
  left(name: string | number): number;
}

const MOST_NAMES = 100_000;

/**
 * Creates buckets that fill at `perSecond` and hold `burst`. A bucket is stored as one number: the time at which it is
 * full again. If there are more than 100,000 names, the least recently used are dropped, so their buckets are full
 * again.
 */
export function createBuckets(
  perSecond: number,
  burst: number,
  now: () => number = performance.now.bind(performance),
): OwnBuckets {
  const stepMs = 1000 / perSecond;
  const buckets = createBoundedCache<string | number, { fullAt: number }>(MOST_NAMES);
  return {
    perSecond,
    take(name, tokens = 1) {
      const at = now();
      const bucket = bucketOf(name, at);
      const fullAt = Math.max(bucket.fullAt, at) + Math.min(tokens, burst) * stepMs;
      const waitMs = fullAt - at - burst * stepMs;
      // Allow a thousandth of a millisecond for rounding errors.
      if (waitMs > 0.001) return waitMs / 1000;
      bucket.fullAt = fullAt;
      return 0;
    },
    charge(name, tokens, longestSeconds = Infinity) {
      const at = now();
      const bucket = bucketOf(name, at);
      const charged = Math.max(bucket.fullAt, at) + tokens * stepMs;
      const latest = at + burst * stepMs + longestSeconds * 1000;
      bucket.fullAt = Math.max(bucket.fullAt, Math.min(charged, latest));
    },
    giveBack(name) {
      const bucket = buckets.get(name);
      if (bucket !== undefined) bucket.fullAt -= stepMs;
    },
    left: (name) => burst - Math.max(0, (buckets.get(name)?.fullAt ?? 0) - now()) / stepMs,
  };

  function bucketOf(name: string | number, at: number): { fullAt: number } {
    const existing = buckets.get(name);
    if (existing !== undefined) return existing;
    const bucket = { fullAt: at };
    buckets.set(name, bucket);
    return bucket;
  }
}
