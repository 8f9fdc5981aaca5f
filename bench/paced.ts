/** Purchases that are sent at a fixed rate, so that a slow service cannot slow down its own measurement. */
import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { Child } from './child.ts';
import { AMOUNT, anybody, codeOf, shopOf } from './load-members.ts';
import type { PacedCalls, PacedTimes } from './paced-calls.ts';
import type { Site } from './sites.ts';

/** More connections than calls are ever under way, so that no call waits for one. */
const CONNECTIONS = 256;
/** Calls of this time at the start do not count: the sender compiles its code and opens its connections. */
const WARM_UP_SECONDS = 1;

/** Purchases of random members. */
export function pacedPurchases(site: Site, perSecond: number, seconds: number): Promise<PacedTimes> {
  const nextCall = () => purchaseOf(site, anybody(site.loaded));
  return pace(site.service, { connections: CONNECTIONS, perSecond, seconds, nextCall });
}

/** The same at the thin service, which asks for no credentials. */
export function pacedThinPurchases(
  thin: Child,
  members: number,
  perSecond: number,
  seconds: number,
): Promise<PacedTimes> {
  const nextCall = () => post('/purchases', codeOf(randomInt(1, members + 1)));
  return pace(thin, { connections: CONNECTIONS, perSecond, seconds, nextCall });
}

/** One purchase a second at each commerce but the largest. */
export function smallCommerces(site: Site, seconds: number): Promise<PacedTimes> {
  const small = site.loaded.shops.slice(1);
  let turn = 0;
  const nextCall = () => {
    const { firstMember, members } = small[turn++ % small.length]!;
    return purchaseOf(site, firstMember + Math.floor(Math.random() * members));
  };
  return pace(site.service, { connections: small.length, perSecond: small.length, seconds, nextCall });
}

interface Pace {
  readonly connections: number;
  readonly perSecond: number;
  readonly seconds: number;
  /** Returns the next request. */
  readonly nextCall: () => string;
}

/**
 * Sends purchases at that rate, whether or not the answers keep up. The time of each counts from the moment it was
 * due, so it includes the wait for a free connection and the delay of the sender. @throws if an answer is not 2xx
 */
async function pace({ port }: Child, options: Pace): Promise<PacedTimes> {
  const { connections, perSecond, seconds, nextCall } = options;
  const warmUp = Math.round(perSecond * WARM_UP_SECONDS);
  const requests = Array.from({ length: warmUp + Math.round(perSecond * seconds) }, nextCall);
  const sender = fork(new URL('./paced-calls.ts', import.meta.url), { serialization: 'advanced' });
  const exited = once(sender, 'exit');
  const answered = once(sender, 'message') as Promise<[PacedTimes]>;
  sender.send({ port, connections, perSecond, requests } satisfies PacedCalls);
  const ended = exited.then(([code]) => Promise.reject(new Error(`the sender of calls exited with ${code}`)));
  const [{ took, late, refused }] = await Promise.race([answered, ended]);
  if (refused !== undefined) throw new Error(`not a 2xx: ${refused}`);
  return { took: took.slice(warmUp), late: late.slice(warmUp) };
}

function purchaseOf({ loaded }: Site, buyer: number): string {
  return post('/v1/consumptions/client-code', codeOf(buyer), shopOf(loaded, buyer).key);
}

function post(path: string, code: number, key = 'none'): string {
  const body = JSON.stringify({ client_code: code, amount: AMOUNT });
  return [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
