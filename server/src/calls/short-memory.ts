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
  const empty = () =>
    new LRUCache<K, V>({
      max: MAX,
      ttl: TTL_MS,
      // A reader that fails leaves what is kept to its end; whoever comes after that meets the failure.
      noDeleteOnFetchRejection: true,
      async fetchMethod(key, _kept, { options }) {
        const began = performance.now();
        const found = await read(key);
        // Counted from when it was read. 0 would be for ever.
        options.ttl = Math.max(1, TTL_MS - (performance.now() - began));
        return found ?? undefined;
      },
    });
  let kept = empty();
  // What is being read goes to the memory of before: it may have been true before the change only.
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
    // Found together, but missed alone: what another reader did not see yet may be there by now.
    return status.fetch === 'inflight' ? read(key) : null;
  }

  function readAgain(memory: LRUCache<K, V>, key: K): void {
    memory.fetch(key, { forceRefresh: true }).then(
      (found) => found ?? memory.delete(key),
      () => {},
    );
  }
}

/** Called by whatever takes a right away (a revoked key, a closed commerce): this process forgets at once. */
export function forgetKnown(db: Remembering): void {
  for (const memory of memoriesOf(db)) memory.forget();
}
