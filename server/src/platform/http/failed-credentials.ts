import type { FastifyRequest } from 'fastify';
import { createBoundedCache } from '#base/bounded-cache.ts';
import type { Caps } from '#base/caps.ts';
import { clientNetworkOf } from './client-network.ts';
import { limitReached } from './rate-limits.ts';
import { ownLedger, type Ledger } from './ledger.ts';

/** Looks up the owner of a token, or a commerce; null if there is none. */
type Lookup<K, T> = (token: K, request: FastifyRequest) => T | null | Promise<T | null>;

/** Adds the limit to a lookup. Each lookup has a memory of its own, and all share the limit of a network. */
export type LimitFailures = <K extends string | number, T>(lookUp: Lookup<K, T>) => Lookup<K, T>;

/** Valid tokens that a process remembers as such. */
const MOST_VALID = 20_000;
/** Seconds of failures that a network may have at once, for example after all its members' tokens have expired. */
const BURST_SECONDS = 5;

/**
 * Limits how many tokens that are not valid, and ids of commerces that do not exist, a client network may send per second,
 * because each costs a query or a signature check. Past the limit they are refused from memory. A token that was valid
 * before is always looked up, so a shop goes on while somebody in its network makes up keys. 0 means no limit.
 */
export function createFailureLimit(
  perSecond: number,
  caps: Caps,
  { buckets }: Pick<Ledger, 'buckets'> = ownLedger,
): LimitFailures {
  if (perSecond === 0) return (lookUp) => lookUp;
  const failures = buckets('failures', perSecond, perSecond * BURST_SECONDS);
  return <K extends string | number, T>(lookUp: Lookup<K, T>): Lookup<K, T> => {
    const valid = createBoundedCache<K, true>(MOST_VALID);
    // The first calls of a shop after a start come together, and share one lookup.
    const underWay = new Set<K>();
    return (token, request) => {
      if (valid.has(token) || underWay.has(token)) return watch(token, lookUp(token, request));
      const network = clientNetworkOf(request.ip);
      // Taken before the lookup and given back after it, so that many lookups at once count as well.
      const taken = failures.take(network);
      const found = taken instanceof Promise ? taken.then(lookUpIfFree) : lookUpIfFree(taken);
      if (found instanceof Promise) {
        underWay.add(token);
        const end = () => void underWay.delete(token);
        found.then(end, end);
      }
      return found;

      function lookUpIfFree(waitSeconds: number): T | null | Promise<T | null> {
        if (waitSeconds === 0) return watch(token, lookUp(token, request), () => failures.giveBack(network));
        caps.refused('failed-credentials');
        return Promise.reject(limitReached({ limit: perSecond, windowSeconds: 1, waitSeconds }));
      }
    };

    function watch<F>(token: K, found: F | Promise<F>, giveBack = () => {}): F | Promise<F> {
      if (!(found instanceof Promise)) return remember(token, found, giveBack);
      return found.then(
        (value) => remember(token, value, giveBack),
        (error: unknown) => {
          // The database could not tell, which is not the caller's failure.
          giveBack();
          throw error;
        },
      );
    }

    function remember<F>(token: K, found: F, giveBack: () => void): F {
      if (found === null) valid.delete(token);
      else {
        valid.set(token, true);
        giveBack();
      }
      return found;
    }
  };
}
