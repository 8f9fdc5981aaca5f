import { LRUCache } from 'lru-cache';
import { remembered, type Remembering } from '#db/memory.ts';

/** The longest time before this process notices a change made by another. */
const TTL_MS = 5_000;
const MAX = 10_000;

const memoriesOf = remembered(() => new Set<{ forget(): void }>());

/**
 * Keeps the results of `read` for at most five seconds, so that requests need not look up their key or commerce every
 * time. It keeps no absences, so a new key works at once. A value in use is read again after half of the time, by one
 * reader, so the requests of a busy shop never all wait for it at the same moment.
 */
export function known<K extends {}, V extends {}>(
  db: Remembering,
  read: (key: K) => Promise<V | null>,
): (key: K) => V | null | Promise<V | null> {
  const empty = () =>
    new LRUCache<K, V>({
      max: MAX,
      ttl: TTL_MS,
      // If reading again fails, the kept value stays until its end. After that, callers get the error.
      noDeleteOnFetchRejection: true,
      async fetchMethod(key, _kept, { options }) {
        const began = performance.now();
        const found = await read(key);
        // Counts from the start of the read. 0 would mean forever.
        options.ttl = Math.max(1, TTL_MS - (performance.now() - began));
        return found ?? undefined;
      },
    });
  let kept = empty();
  // A read under way may have seen the state before the change, so its result goes into the old memory.
  memoriesOf(db).add({ forget: () => void (kept = empty()) });

  return (key) => {
    const memory = kept;
    const value = memory.get(key);
    if (value === undefined) return lookUp(memory, key);
    if (memory.getRemainingTTL(key) < TTL_MS / 2) readAgain(memory, key);
    return value;
  };

  async function lookUp(memory: LRUCache<K, V>, key: K): Promise<V | null> {
    const status: LRUCache.Status<K, V> = {};
    const found = await memory.fetch(key, { status });
    if (found !== undefined) return found;
    // Callers share what a read finds, but not that it found nothing: the key may have been created since.
    return status.fetch === 'inflight' ? read(key) : null;
  }

  function readAgain(memory: LRUCache<K, V>, key: K): void {
    memory.fetch(key, { forceRefresh: true }).then(
      (found) => found ?? memory.delete(key),
      () => {},
    );
  }
}

/** Forgets everything at once. Called when a key is revoked or a commerce is closed. */
export function forgetKnown(db: Remembering): void {
  for (const memory of memoriesOf(db)) memory.forget();
}
