import type { FastifyInstance, RouteOptions } from 'fastify';
import { allowPreflight } from './cors.ts';
import { sendProblem } from './errors.ts';
import { NotFound, Problem } from '#problems/problem.ts';

/** A path pattern and its routes by method. */
interface Place {
  pattern: RegExp;
  routes: Map<string, RouteOptions>;
}

/**
 * Answers requests that match no route: 404 for an unknown path, 405 with `Allow` for another method, and OPTIONS on
 * every known path. The patterns are only searched after the router found nothing.
 */
export function answerUnmatched(app: FastifyInstance): void {
  const places = new Map<string, Place>();
  app.addHook('onRoute', (route) => {
    const place = places.get(route.url) ?? { pattern: patternOf(route.url), routes: new Map() };
    places.set(route.url, place);
    for (const method of [route.method].flat()) place.routes.set(method, route);
  });

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const routes = [...places.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((place) => [...place.routes]);
    // A route that serves files finds out itself that there is none.
    const isTaken = routes.some(([method]) => method === request.method);
    if (routes.length === 0 || isTaken)
      return sendProblem(reply, new NotFound('there is nothing at this address'));
    const allow = [...new Set([...routes.map(([method]) => method), 'OPTIONS'])].join(', ');
    if (request.method !== 'OPTIONS') {
      return sendProblem(reply, new Problem(405, 'the method is not allowed here', { allow }));
    }
    allowPreflight(reply, routes);
    return reply.code(204).header('allow', allow).send();
  });
}

function patternOf(url: string): RegExp {
  const source = url.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/:[^/]+/g, '[^/]+');
  return new RegExp(`^${source.replaceAll('*', '.*')}$`);
}
