import { pipeline, Readable, Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { CapName, Caps } from '#base/caps.ts';
import { clientNetworkOf } from './client-network.ts';
import { applyLookup, type Hook } from './credential-hooks.ts';

import { TooManyRequests } from '#problems/problem.ts';
import { ownLedger, type Ledger } from './ledger.ts';
import type { Buckets } from './token-bucket.ts';
import type { App } from './server.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * `none`: the route does not count towards the caller's rate limit. `call`: it costs as much as a call, and not as
     * little as a file, although it has no credential.
     */
    rateLimit?: 'none' | 'call';
    /** True if all callers of the route at one commerce together have the limit of a key, too. */
    limitsCommerce?: true;
  }
}

/** Requests per second; 0 means no limit. */
export interface RateLimits {
  /** For each API key. Bursts may be twice as large. */
  readonly perKey: number;
  /** For each member. People of the staff and keys of the back office may call three times as often. */
  readonly perUser: number;
  /** For each client network, on endpoints without a credential. Pages and files may be called ten times as often. */
  readonly perNetwork: number;
}

/** One page of the portal loads about ten files, and a shop's visitors share its network. */
const FILES_PER_CALL = 10;

/** A page of the console makes several calls at once, and a till calls at every purchase. */
const CALLS_OF_THE_STAFF = 3;

/** A limit: its buckets, whose bucket a request takes from, and the cap that its refusals count for. */
interface Limit {
  readonly buckets: Buckets;
  readonly nameOf: (request: FastifyRequest) => string | number;
  readonly cap: CapName;
  /** The longest wait for what the bytes of earlier answers cost. Without it, there is none. */
  readonly longestDebtSeconds?: number;
}

/**
 * Limits how often each caller may call and how many bytes are sent to them, after checking the caller's credential. Must
 * be called before the first route is added. The route's credential decides who is counted.
 */
export function limitRequests(
  app: App,
  limits: RateLimits,
  caps: Caps,
  { buckets }: Pick<Ledger, 'buckets'> = ownLedger,
): void {
  const { perKey, perUser, perNetwork } = limits;
  const files: Limit = {
    buckets: buckets('files', perNetwork * FILES_PER_CALL, perNetwork * FILES_PER_CALL * 2),
    nameOf: networkOf,
    cap: 'files-of-a-network',
  };
  const limitOf: Readonly<Record<string, Limit>> = {
    key: { buckets: buckets('keys', perKey, perKey * 2), nameOf: keyOf, cap: 'calls-of-a-key' },
    user: {
      buckets: buckets('members', perUser, perUser),
      nameOf: (request) => request.userId,
      cap: 'calls-of-a-member',
    },
    staff: {
      buckets: buckets('staff', perUser * CALLS_OF_THE_STAFF, perUser * CALLS_OF_THE_STAFF * 2),
      nameOf: staffOf,
      cap: 'calls-of-the-staff',
    },
    header: {
      buckets: buckets('networks', perNetwork, perNetwork),
      nameOf: networkOf,
      cap: 'calls-of-a-network',
      longestDebtSeconds: DEBT_OF_A_NETWORK_SECONDS,
    },
    none: files,
  };

  const ofCommerce: Limit = {
    buckets: buckets('commerces', perKey, perKey),
    nameOf: (request) => request.commerceId,
    cap: 'calls-of-a-commerce',
  };
  const bodies: Limit = {
    buckets: buckets('bodies', perUser * CALLS_OF_THE_STAFF, perUser * CALLS_OF_THE_STAFF * 2),
    nameOf: (request) => request.staff?.commerceId ?? staffOf(request),
    cap: 'calls-of-the-staff',
  };
  const fileSizes = new LRUCache<string, number>({ max: 1_000 });

  app.addHook('onRoute', (route: RouteOptions) => {
    const { credential = 'none', rateLimit, limitsCommerce } = route.config ?? {};
    const limit = limitOf[rateLimit === 'call' ? 'header' : credential];
    if (limit === undefined || limit.buckets.perSecond === 0 || rateLimit === 'none') return;
    // The credential check comes first.
    route.onRequest = [
      ...[route.onRequest ?? []].flat(),
      takes(limit),
      ...(limit === limitOf['staff'] ? [takes(bodies)] : []),
      ...(limitsCommerce === true && perKey > 0 ? [takes(ofCommerce)] : []),
    ];
    if (limit === files) {
      route.onSend = [rememberSize, ...[route.onSend ?? []].flat()];
      return;
    }
    const charge = (
      request: FastifyRequest,
      _reply: unknown,
      payload: unknown,
      sent: (error?: null, payload?: unknown) => void,
    ): void => {
      if (payload instanceof Readable) {
        const chargeCalls = (calls: number) => limit.buckets.charge(limit.nameOf(request), calls);
        sent(null, paceStream(payload, limit.buckets.perSecond * STREAMED_SHARE, chargeCalls));
        return;
      }
      const calls = Math.floor(sizeOf(payload) / BYTES_OF_A_CALL);
      if (calls > 0) limit.buckets.charge(limit.nameOf(request), calls, limit.longestDebtSeconds);
      sent();
    };
    // First, because an answer to HEAD loses its body on the way and costs as much as one to GET.
    route.onSend = [charge, ...[route.onSend ?? []].flat()];
  });
  // Addresses that match no route have no hooks of their own.
  if (perNetwork > 0)
    app.addHook('onRequest', (request, reply, done) => {
      if (request.is404) return takes(files)(request, reply, done);
      done();
      return undefined;
    });

  function rememberSize(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    sent: () => void,
  ): void {
    const bytes = Number(reply.getHeader('content-length') ?? sizeOf(payload));
    if (bytes >= BYTES_OF_A_FILE_CALL) fileSizes.set(pathOf(request), bytes);
    sent();
  }

  /** A large file counts as several calls once its size is known, before it is sent, so that a burst of them counts too. */
  function callsOfFile(request: FastifyRequest): number {
    return 1 + Math.floor((fileSizes.get(pathOf(request)) ?? 0) / BYTES_OF_A_FILE_CALL);
  }

  /** A call with a larger body than ordinary ones costs more, and a second of the limit at most. */
  function callsOfBody({ raw, routeOptions }: FastifyRequest): number {
    // Without a length, it may be as much as the route takes.
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
    const bytes = Number(length ?? (encoding === undefined ? 0 : routeOptions.bodyLimit));
    return Math.min(Math.floor(bytes / BYTES_OF_A_CALL), bodies.buckets.perSecond);
  }

  /** Returns a hook that takes a call from the limit, and refuses it if there is none. */
  function takes(limit: Limit): Hook {
    return (request, _reply, done) => {
      const calls = limit === files ? callsOfFile(request) : limit === bodies ? callsOfBody(request) : 1;
      const taken = limit.buckets.take(limit.nameOf(request), calls);
      return applyLookup(taken, done, (waitSeconds) =>
        waitSeconds === 0 ? undefined : refusalOf(limit, waitSeconds),
      );
    };
  }

  function refusalOf({ buckets: { perSecond }, nameOf, cap }: Limit, waitSeconds: number): TooManyRequests {
    caps.refused(cap);
    const reached = { limit: perSecond, windowSeconds: 1, waitSeconds };
    // Calls that a stranger has sent on the same connection are dropped with it.
    return limitReached(reached, nameOf === networkOf ? { connection: 'close' } : {});
  }
}

/**
 * An answer counts as one call for each of these bytes, because what it costs grows with its size. A member's list of
 * 700 KB takes four seconds of a limit of ten calls a second.
 */
const BYTES_OF_A_CALL = 16 * 1024;
/** The same for files, which are ready. They cost only the way to the caller. */
const BYTES_OF_A_FILE_CALL = 64 * 1024;

/**
 * A network is shared by people who do not know each other. Without this, 20 reads of a large catalog at once would keep
 * all of them from refreshing their sessions for half a minute.
 */
const DEBT_OF_A_NETWORK_SECONDS = 1;

/** A stream takes this part of its caller's limit, so that the caller's other calls go on beside it. */
const STREAMED_SHARE = 1 / 4;

/** Charges a stream as it is sent, and sends it no faster than as many calls a second would be. */
function paceStream(payload: Readable, callsPerSecond: number, charge: (calls: number) => void): Readable {
  const paced = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const calls = chunk.byteLength / BYTES_OF_A_CALL;
      charge(calls);
      setTimeout(() => done(null, chunk), (calls / callsPerSecond) * 1000);
    },
  });
  // An error ends both, and is logged where the answer is sent.
  return pipeline(payload, paced, () => {});
}

function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || payload instanceof Uint8Array ? Buffer.byteLength(payload) : 0;
}

/** Creates the 429, with the headers that tell a client when to retry. */
export function limitReached(
  reached: { limit: number; windowSeconds: number; waitSeconds: number },
  more: Readonly<Record<string, string>> = {},
): TooManyRequests {
  const wait = String(Math.max(1, Math.ceil(reached.waitSeconds)));
  return new TooManyRequests(reached.waitSeconds, {
    ...more,
    'ratelimit-limit': String(reached.limit),
    'ratelimit-remaining': '0',
    'ratelimit-reset': wait,
    'ratelimit-policy': `"default";q=${reached.limit};w=${reached.windowSeconds}`,
    ratelimit: `"default";r=0;t=${wait}`,
  });
}

function networkOf(request: FastifyRequest): string {
  return clientNetworkOf(request.ip);
}

/** Returns the person or the key of the back office. */
function staffOf({ staff, staffSession }: FastifyRequest): string {
  return staff?.by.kind === 'key' ? `key ${staff.by.keyId}` : `person ${staffSession?.personId}`;
}

/** Returns the API key, which has already been checked: by its number, so that the key itself is not kept. */
function keyOf(request: FastifyRequest): string | number {
  return request.key?.keyId ?? (request.raw.headers.authorization ?? '').slice('Bearer '.length).trim();
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0]!;
}
