import type { FastifyRequest } from 'fastify';
import { NothingHere } from '#problems/problem.ts';
import { isLoopbackAddress, isLoopbackHost } from '#text/loopback.ts';

/**
 * Refuses every request that does not come from this machine: a hook for pages of a developer's machine that show
 * secrets. They do not exist for anyone else.
 */
export function refuseStrangers(
  request: FastifyRequest,
  _reply: unknown,
  done: (error?: Error) => void,
): void {
  done(isFromThisMachine(request) ? undefined : new NothingHere());
}

/**
 * Returns false for a peer on another machine, for a request that a proxy has passed on, and for a name other than this
 * machine's. The name stops pages on the web: their own name may resolve to 127.0.0.1.
 */
export function isFromThisMachine({ raw: { headers, socket, httpVersion } }: FastifyRequest): boolean {
  const host = /^(\[[^\]]*\]|[^:]*)(:\d+)?$/.exec(headers.host ?? '')?.[1] ?? '';
  return (
    // A proxy that nobody has set up speaks HTTP/1.0 and adds nothing by which it could be told.
    httpVersion !== '1.0' &&
    isLoopbackAddress(socket.remoteAddress ?? '') &&
    isLoopbackHost(host) &&
    !Object.keys(headers).some((name) => name.startsWith('x-forwarded') || PROXY_HEADERS.has(name))
  );
}

const PROXY_HEADERS: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
]);
