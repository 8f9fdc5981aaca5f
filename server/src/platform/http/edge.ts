import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readReportedAddresses } from './client-network.ts';
import { SAID_LAST } from './errors.ts';
import { isOpenToPages, openToPages } from './cors.ts';
import type { CredentialKind } from './credentials.ts';
import { Problem } from '#problems/problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The `Cache-Control` of successful responses; `no-store` by default. */
    cacheControl?: string;
  }
}

/**
 * Runs before everything else on every request: reads the address that a proxy reports, refuses requests that two
 * servers could read differently, and sets the headers that all responses have. Answers of a service that ends close their
 * connection.
 */
export function guardTheEdge(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { credential, cacheControl = 'no-store' } = request.routeOptions.config ?? {};
    readReportedAddresses(request.raw.headers);
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('referrer-policy', 'no-referrer');
    reply.header('strict-transport-security', 'max-age=31536000');
    // A sandboxed page has no origin, so a script in it could not read what the portal stores. Only the portal has one.
    reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox");
    reply.header('cache-control', cacheControl);
    if (isOpenToPages(credential)) openToPages(reply);
    if (cacheControl !== 'no-store' && credential !== undefined && credential !== 'none')
      reply.header('vary', VARY[credential]);
    const ambiguity = findAmbiguity(request);
    if (ambiguity !== undefined) Object.assign(request.raw.socket, { [SAID_LAST]: true });
    done(ambiguity);
  });
  // Decided when the call ends, and not when it begins: a call that began before the listener closed would leave its
  // connection to a proxy, which sends the next call on it while it is closed.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (app.end.isListenerClosed) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** The request headers that identify the caller. A cached response must not be served to another caller. */
const VARY: Readonly<Record<Exclude<CredentialKind, 'none'>, string>> = {
  key: 'Authorization',
  user: 'Authorization, X-Commerce-Id',
  header: 'X-Commerce-Id',
  staff: 'Cookie, Authorization, X-Commerce-Id',
};

/** Refuses a request that cannot be told apart from another one, and closes its connection. */
class Ambiguous extends Problem {
  constructor(message: string) {
    super(400, 'malformed_http', message, { headers: { connection: 'close' } });
  }
}

function findAmbiguity(request: FastifyRequest): Problem | undefined {
  const { rawHeaders, headers, httpVersion } = request.raw;
  let hosts = 0;
  let credentials = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials += 1;
  }
  request.ambiguousCredential = credentials > 1;
  if (httpVersion === '0.9') return new Ambiguous('the request has no HTTP version');
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return new Ambiguous('the HTTP version must be 1.0 or 1.1');
  const encoding = headers['transfer-encoding'];
  // Only `chunked` says where the body ends. HTTP/1.0 knows no encoding, so a proxy may read the body in another way.
  if (encoding !== undefined && (httpVersion === '1.0' || encoding.toLowerCase() !== 'chunked'))
    return new Ambiguous('the only Transfer-Encoding is chunked, in HTTP/1.1');
  // HTTP/1.0 has no Host header.
  const isAllowed = httpVersion === '1.0' ? hosts <= 1 : hosts === 1;
  return isAllowed ? undefined : new Ambiguous('the request must have exactly one Host header');
}
