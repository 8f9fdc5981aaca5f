import { LRUCache } from 'lru-cache';

/**
 * Creates a cache that drops the values used least recently once there are more than `most`. Given as `max`, lru-cache would take the
 * memory for all of them at once, which is 20 MB for the caches of an idle service.
 */
export function createBoundedCache<K extends {}, V extends {}>(
  most: number,
  options: Pick<LRUCache.Options<K, V, unknown>, 'ttl' | 'noDeleteOnFetchRejection' | 'fetchMethod'> = {},
): LRUCache<K, V> {
  return new LRUCache<K, V>({ ...options, maxSize: most, sizeCalculation: () => 1 });
}
