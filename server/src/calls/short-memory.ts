import { LRUCache } from 'lru-cache';
import { remembered, type Remembering } from '#db/memory.ts';

/** How long a change made by another process may go unseen. */
const TTL_MS = 5_000;
const MAX = 10_000;

const memoriesOf = remembered(() => new Set<{ forget(): void }>());

/**
 * Keeps what `read` found for at most five seconds, so that a key or a commerce is not looked up for every request.
 * Only what exists is kept, never an absence: what was just made is found at once. What is in use is read again
 * halfway, by one reader, so that a busy shop's requests never wait for it all at the same moment.
 */
export function known<K extends {}, V extends {}>(
  db: Remembering,
  read: (key: K) => Promise<V | null>,
): (key: K) => V | null | Promise<V | null> {
  const kept = new LRUCache<K, V>({ max: MAX, ttl: TTL_MS });
  let underWay = new Map<K, Promise<V | null>>();
  memoriesOf(db).add({
    // What is being read may have been true before the change only: whoever asks from now on reads anew.
    forget() {
      kept.clear();
      underWay = new Map();
    },
  });

  return (key) => {
    const value = kept.get(key);
    if (value === undefined) return readOnce(key);
    // A reader that fails leaves what is kept to its end; who comes after that meets the failure.
    if (kept.getRemainingTTL(key) < TTL_MS / 2) readOnce(key).catch(() => {});
    return value;
  };

  function readOnce(key: K): Promise<V | null> {
    const readers = underWay;
    // Found together, but missed alone: what the other reader did not see yet may be there by now.
    const other = readers.get(key);
    if (other !== undefined) return other.then((value) => value ?? read(key));
    const began = performance.now();
    const reading = read(key)
      .then((value) => {
        if (readers !== underWay) return value;
        if (value === null) kept.delete(key);
        else kept.set(key, value, { start: began });
        return value;
      })
      .finally(() => readers.delete(key));
    readers.set(key, reading);
    return reading;
  }
}

/** Called by whatever takes a right away (a revoked key, a closed commerce): this process forgets at once. */
export function forgetKnown(db: Remembering): void {
  for (const memory of memoriesOf(db)) memory.forget();
}
