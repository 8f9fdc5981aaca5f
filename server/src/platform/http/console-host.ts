import type { FastifyInstance } from 'fastify';
import { NothingHere } from '#problems/problem.ts';

/**
 * Keeps the console and the members' pages on hosts of their own, if the console has one: each host answers 404 for the
 * pages of the other. A script that somebody gets into a page of the portal then has another origin than the console, and
 * the browser sends it no session.
 */
export function keepConsoleApart(app: FastifyInstance, consoleUrl: string | null): void {
  if (consoleUrl === null) return;
  const { host } = new URL(consoleUrl);
  app.addHook('onRequest', (request, _reply, done) => {
    // The router decodes a path before it looks for a route, so `/%61dmin/v1` is `/admin/v1`. Only the route knows.
    const path = request.routeOptions.url ?? request.url.split('?', 1)[0]!;
    // Not `request.host`: a proxy that does not know `X-Forwarded-Host` passes on what a caller wrote into it.
    const isHere = request.raw.headers.host === host ? !OF_THE_PORTAL.test(path) : !OF_THE_CONSOLE.test(path);
    done(isHere ? undefined : new NothingHere());
  });
}

const OF_THE_CONSOLE = /^\/(?:console|admin\/v1)(?:\/|$)/i;
/** Everything with pages or for members. Health checks, pictures and the description of the interface are everywhere. */
const OF_THE_PORTAL = /^\/(?:club|docs|dev|mail|wallet|v1|v2)(?:\/|$)|^\/$/i;
