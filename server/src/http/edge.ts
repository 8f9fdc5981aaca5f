import type { FastifyInstance, FastifyRequest } from 'fastify';
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
 * Runs before everything else on every request: refuses requests that two servers could read differently, and sets the
 * headers that all responses have.
 */
export function guardTheEdge(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { credential, cacheControl = 'no-store' } = request.routeOptions.config ?? {};
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
    done(findAmbiguity(request));
  });
}

/** The request headers that identify the caller. A cached response must not be served to another caller. */
const VARY: Readonly<Record<Exclude<CredentialKind, 'none'>, string>> = {
  key: 'Authorization',
  user: 'Authorization, X-Commerce-Id',
  header: 'X-Commerce-Id',
  staff: 'Cookie',
};

function findAmbiguity(request: FastifyRequest): Problem | undefined {
  const { rawHeaders, httpVersionMajor } = request.raw;
  let hosts = 0;
  let credentials = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials += 1;
  }
  request.ambiguousCredential = credentials > 1;
  if (httpVersionMajor < 1) return new Problem(400, 'the request has no HTTP version');
  // HTTP/1.0 has no Host header.
  const isAllowed = request.raw.httpVersion === '1.0' ? hosts <= 1 : hosts === 1;
  return isAllowed ? undefined : new Problem(400, 'the request must have exactly one Host header');
}
