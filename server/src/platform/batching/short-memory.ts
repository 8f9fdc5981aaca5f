import type { LRUCache } from 'lru-cache';
import { remembered, type Remembering } from '#db/memory.ts';
import { createBoundedCache } from '#base/bounded-cache.ts';

/** How long a change made by another process may go unnoticed. */
const TTL_MS = 5_000;
const MAX = 10_000;

const memoriesOf = remembered(() => new Set<{ forget(): void }>());

/**
 * Remembers what `read` found for at most five seconds, so that a key or a commerce is not looked up for every
 * request. A missing value is not remembered, so a new one is found at once. A value in use is read again halfway, by
 * a single read, so that the requests of a busy shop never all wait at the same moment.
 */
export function rememberBriefly<K extends {}, V extends {}>(
  db: Remembering,
  read: (key: K) => Promise<V | null>,
): (key: K) => V | null | Promise<V | null> {
  const createCache = () =>
    createBoundedCache<K, V>(MAX, {
      ttl: TTL_MS,
      // If a read fails, the remembered value stays until it expires. The next call after that gets the error.
      noDeleteOnFetchRejection: true,
      async fetchMethod(key, _stale, { options }) {
        const began = performance.now();
        const found = await read(key);
        // The five seconds count from the start of the read. A ttl of 0 would mean for ever.
        options.ttl = Math.max(1, TTL_MS - (performance.now() - began));
        return found ?? undefined;
      },
    });
  let cache = createCache();
  // A read that is already running keeps writing to the old cache: its result may predate the change.
  memoriesOf(db).add({ forget: () => void (cache = createCache()) });

  return (key) => {
    const current = cache;
    const value = current.get(key);
    if (value === undefined) return lookUp(current, key);
    if (current.getRemainingTTL(key) < TTL_MS / 2) readAgain(current, key);
    return value;
  };

  async function lookUp(cached: LRUCache<K, V>, key: K): Promise<V | null> {
    const status: LRUCache.Status<K, V> = {};
    const found = await cached.fetch(key, { status });
    if (found !== undefined) return found;
    // This call joined a read that found nothing, but the value may have been created after that read started.
    return status.fetch === 'inflight' ? read(key) : null;
  }

  function readAgain(cached: LRUCache<K, V>, key: K): void {
    cached.fetch(key, { forceRefresh: true }).then(
      (found) => found ?? cached.delete(key),
      () => {},
    );
  }
}

/** Forgets every remembered value in this process. Call it after revoking a key or closing a commerce. */
export function forgetRemembered(db: Remembering): void {
  for (const memory of memoriesOf(db)) memory.forget();
}
