import type { FastifyReply, RouteOptions } from 'fastify';
import type { CredentialKind } from './credentials.ts';

/**
 * Returns true if pages of any origin may call the route. That is safe for members' calls: they use bearer tokens and
 * no cookies, so another page cannot act for the member. Routes that take an API key stay closed, so that a key in a
 * frontend fails visibly.
 */
export function isOpenToPages(credential: CredentialKind | undefined): boolean {
  return credential === 'user' || credential === 'header';
}

/** Lets the page read the response, including errors. */
export function openToPages(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*');
  reply.header(
    'access-control-expose-headers',
    'Retry-After, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Idempotency-Replayed, ETag, X-Request-Id, X-Consumption-Id, Location, X-Points-Earned, X-Points-Balance, X-Points-Waiting, X-Stamps, X-Held-Until, X-Error-Code, X-Error-Hint, X-Unknown-Fields, X-Commerce-Time',
  );
}

/** Answers a preflight request. Browsers may cache the answer for a day. */
export function allowPreflight(
  reply: FastifyReply,
  routes: readonly [method: string, route: RouteOptions][],
): void {
  const open = routes.filter(([, route]) => isOpenToPages(route.config?.credential));
  if (open.length === 0) return;
  openToPages(reply);
  reply.header('access-control-allow-methods', open.map(([method]) => method).join(', '));
  reply.header(
    'access-control-allow-headers',
    'Authorization, Content-Type, X-Commerce-Id, Idempotency-Key, If-None-Match, X-Request-Id',
  );
  reply.header('access-control-max-age', '86400');
}
