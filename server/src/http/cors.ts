import type { FastifyReply, RouteOptions } from 'fastify';
import type { CredentialKind } from './credentials.ts';

/**
 * A page of any origin may call what a member's browser calls: bearer tokens and no cookies, so there is nothing to
 * ride on. What takes an API key is never open to a page, so that a key put into a frontend fails visibly.
 */
export function isOpenToPages(credential: CredentialKind | undefined): boolean {
  return credential === 'user' || credential === 'header';
}

/** Lets the page read the answer, refusals included. */
export function openToPages(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*');
  reply.header(
    'access-control-expose-headers',
    'Retry-After, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Idempotency-Replayed, ETag, X-Request-Id',
  );
}

/** Answers a browser that asks first; the answer is good for a day. */
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
