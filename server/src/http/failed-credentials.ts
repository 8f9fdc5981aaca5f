import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Caps } from '#caps.ts';
import { clientNetworkOf } from './client-network.ts';
import { limitReached } from './rate-limits.ts';
import { createBuckets } from './token-bucket.ts';

/** Looks up the owner of a token; null if the token is not valid. */
type Lookup<T> = (token: string, request: FastifyRequest) => T | null | Promise<T | null>;

/** Adds the limit to a lookup. Each lookup has a memory of its own, and all share the limit of a network. */
export type LimitFailures = <T>(lookUp: Lookup<T>) => Lookup<T>;

/** Valid tokens that a process remembers as such. */
const MOST_VALID = 20_000;
/** Seconds of failures that a network may have at once, for example after all its members' tokens have expired. */
const BURST_SECONDS = 5;

/**
 * Limits how many tokens that are not valid a client network may send per second, because each costs a query or a
 * signature check. Past the limit they are refused from memory. A token that was valid before is always looked up, so
 * a shop goes on while somebody in its network makes up keys. 0 means no limit.
 */
export function createFailureLimit(perSecond: number, caps: Caps): LimitFailures {
  if (perSecond === 0) return (lookUp) => lookUp;
  const failures = createBuckets(perSecond, perSecond * BURST_SECONDS);
  return (lookUp) => {
    const valid = new LRUCache<string, true>({ max: MOST_VALID });
    return (token, request) => {
      if (valid.has(token)) return watch(token, lookUp(token, request), () => {});
      const network = clientNetworkOf(request.ip);
      // Taken before the lookup and given back after it, so that many lookups at once count as well.
      const waitSeconds = failures.take(network);
      if (waitSeconds === 0) return watch(token, lookUp(token, request), () => failures.giveBack(network));
      caps.refused('failed-credentials');
      return Promise.reject(limitReached({ limit: perSecond, windowSeconds: 1, waitSeconds }));
    };

    function watch<F>(token: string, found: F | Promise<F>, onValid: () => void): F | Promise<F> {
      if (found instanceof Promise) return found.then((value) => remember(token, value, onValid));
      return remember(token, found, onValid);
    }

    function remember<F>(token: string, found: F, onValid: () => void): F {
      if (found === null) valid.delete(token);
      else {
        valid.set(token, true);
        onValid();
      }
      return found;
    }
  };
}
