import type { FastifyRequest } from 'fastify';
import { NothingHere } from '#problems/problem.ts';
import { isLoopbackAddress, isLoopbackHost } from '#text/loopback.ts';

/**
 * Refuses every request that does not come from this machine: a hook for pages of a developer's machine that show
 * secrets. They do not exist for a peer on another machine, for a request that a proxy has passed on, or under a name
 * other than this machine's. The name stops pages on the web: their own name may resolve to 127.0.0.1.
 */
export function refuseStrangers(
  request: FastifyRequest,
  _reply: unknown,
  done: (error?: Error) => void,
): void {
  const { headers, socket } = request.raw;
  const host = /^(\[[^\]]*\]|[^:]*)(:\d+)?$/.exec(headers.host ?? '')?.[1] ?? '';
  const isHere =
    // A proxy that nobody has set up speaks HTTP/1.0 and adds nothing by which it could be told.
    request.raw.httpVersion !== '1.0' &&
    isLoopbackAddress(socket.remoteAddress ?? '') &&
    isLoopbackHost(host) &&
    !Object.keys(headers).some((name) => name.startsWith('x-forwarded') || PROXY_HEADERS.has(name));
  done(isHere ? undefined : new NothingHere());
}

const PROXY_HEADERS: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
]);
