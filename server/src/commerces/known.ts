import { LRUCache } from 'lru-cache';

/** How long a change made by another process may go unseen. */
const TTL_MS = 5_000;
const MAX = 10_000;

const caches = new Set<{ clear(): void }>();

/**
 * Keeps what `read` found for at most five seconds, so that a key or a commerce is not looked up for every request.
 * Only what exists is kept, never an absence: what was just made is found at once.
 */
export function known<K extends {}, V extends {}>(
  read: (key: K) => Promise<V | null>,
): (key: K) => V | null | Promise<V | null> {
  const cache = new LRUCache<K, V>({ max: MAX, ttl: TTL_MS });
  caches.add(cache);
  return (key) => {
    const kept = cache.get(key);
    if (kept !== undefined) return kept;
    return read(key).then((value) => {
      if (value !== null) cache.set(key, value);
      return value;
    });
  };
}

/** Called by whatever takes a right away (a revoked key, a closed commerce): this process forgets at once. */
export function forgetKnown(): void {
  for (const cache of caches) cache.clear();
}
