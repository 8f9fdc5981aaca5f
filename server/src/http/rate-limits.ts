import type { FastifyRequest, RouteOptions } from 'fastify';
import { clientNetworkOf } from './client-network.ts';
import type { CredentialKind } from './credentials.ts';
import { TooManyRequests } from '#problems/problem.ts';
import { createBuckets, type Buckets } from './token-bucket.ts';
import type { App } from './server.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route does not count towards the caller's rate limit. */
    rateLimit?: 'none';
  }
}

/** Requests per second; 0 means no limit. Each process counts on its own. */
export interface RateLimits {
  /** For each API key. Bursts may be twice as large. */
  readonly perKey: number;
  /** For each member. */
  readonly perUser: number;
  /** For each client network, on endpoints without a credential. */
  readonly perNetwork: number;
}

/**
 * Limits how often each caller may call and how many bytes are sent to them, after checking the caller's credential. Must be called before the first route
 * is added. The route's credential decides who is counted. `now` is a monotonic clock in milliseconds.
 */
export function limitRequests(app: App, limits: RateLimits, now?: () => number): void {
  const counted: Partial<
    Record<CredentialKind, [Buckets, nameOf: (request: FastifyRequest) => string | number]>
  > = {
    key: [createBuckets(limits.perKey, limits.perKey * 2, now), tokenOf],
    user: [createBuckets(limits.perUser, limits.perUser, now), (request) => request.userId],
    header: [
      createBuckets(limits.perNetwork, limits.perNetwork, now),
      (request) => clientNetworkOf(request.ip),
    ],
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
    const charge = (request: FastifyRequest, _reply: unknown, payload: unknown, done: () => void): void => {
      const calls = Math.floor(sizeOf(payload) / BYTES_OF_A_CALL);
      if (calls > 0) buckets.charge(nameOf(request), calls);
      done();
    };
    // The credential check comes first.
    route.onRequest = [...[route.onRequest ?? []].flat(), limit];
    route.onSend = [...[route.onSend ?? []].flat(), charge];
  });
}

/**
 * An answer counts as one call for each of these bytes, because what it costs grows with its size. A member's list of
 * 700 KB takes four seconds of a limit of ten calls a second.
 */
const BYTES_OF_A_CALL = 16 * 1024;

function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || payload instanceof Uint8Array ? Buffer.byteLength(payload) : 0;
}

/** Creates the 429, with the headers that tell a client when to retry. */
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

/** Returns the API key, which has already been checked. */
function tokenOf(request: FastifyRequest): string {
  return (request.raw.headers.authorization ?? '').slice('Bearer '.length).trim();
}
