import type { FastifyRequest, RouteOptions } from 'fastify';
import { clientNetwork } from './client-network.ts';
import type { CredentialKind } from './credentials.ts';
import { TooManyRequests } from '#problems/problem.ts';
import { bucketsOf, type Buckets } from './token-bucket.ts';
import type { App } from './server.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is not among those that a client network may call so many times a second. */
    rateLimit?: 'none';
  }
}

/** Requests a second; 0 is no limit. Counted by each process on its own. */
export interface RateLimits {
  /** Of one API key, in bursts of twice as many. */
  readonly perKey: number;
  /** Of one member. */
  readonly perUser: number;
  /** Of one client network, on endpoints that take no credential. */
  readonly perNetwork: number;
}

/**
 * Refuses callers who call too often, once it is known who they are. To be called before the first route is
 * added; the credential of a route says whom it counts. `now`, in milliseconds, is a clock that nobody sets.
 */
export function limitRequests(app: App, limits: RateLimits, now?: () => number): void {
  const counted: Partial<
    Record<CredentialKind, [Buckets, nameOf: (request: FastifyRequest) => string | number]>
  > = {
    key: [bucketsOf(limits.perKey, limits.perKey * 2, now), tokenOf],
    user: [bucketsOf(limits.perUser, limits.perUser, now), (request) => request.userId],
    header: [bucketsOf(limits.perNetwork, limits.perNetwork, now), (request) => clientNetwork(request.ip)],
  };
  app.addHook('onRoute', (route: RouteOptions) => {
    const { credential = 'none', rateLimit } = route.config ?? {};
    const [buckets, nameOf] = counted[credential] ?? [];
    if (buckets === undefined || nameOf === undefined || buckets.perSecond === 0 || rateLimit === 'none')
      return;
    const limit = (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void => {
      const waitSeconds = buckets.take(nameOf(request));
      done(
        waitSeconds === 0
          ? undefined
          : limitReached({ limit: buckets.perSecond, windowSeconds: 1, waitSeconds }),
      );
    };
    // After the credential's own check, which stands first.
    route.onRequest = [...[route.onRequest ?? []].flat(), limit];
  });
}

/** The answer to a call beyond a limit, with the headers that tell a client when to go on. */
export function limitReached(reached: {
  limit: number;
  windowSeconds: number;
  waitSeconds: number;
}): TooManyRequests {
  const wait = String(Math.max(1, Math.ceil(reached.waitSeconds)));
  return new TooManyRequests(reached.waitSeconds, {
    'ratelimit-limit': String(reached.limit),
    'ratelimit-remaining': '0',
    'ratelimit-reset': wait,
    'ratelimit-policy': `"default";q=${reached.limit};w=${reached.windowSeconds}`,
    ratelimit: `"default";r=0;t=${wait}`,
  });
}

/** The API key as it was sent; that it is one was checked before. */
function tokenOf(request: FastifyRequest): string {
  return (request.raw.headers.authorization ?? '').slice('Bearer '.length).trim();
}
