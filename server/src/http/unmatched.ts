import type { FastifyInstance, RouteOptions } from 'fastify';
import { allowPreflight } from './cors.ts';
import { send } from './errors.ts';
import { NotFound, Problem } from '#problems/problem.ts';

/** A path that some route answers to, and what is there by method. */
interface Place {
  pattern: RegExp;
  routes: Map<string, RouteOptions>;
}

/**
 * Answers what no route matches: 404 where nothing is, 405 with `Allow` where another method is, and OPTIONS
 * everywhere. Looked up among the patterns only after the router found nothing.
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
    if (routes.length === 0) return send(reply, new NotFound('there is nothing at this address'));
    const allow = [...new Set([...routes.map(([method]) => method), 'OPTIONS'])].join(', ');
    if (request.method !== 'OPTIONS') {
      return send(reply, new Problem(405, 'the method is not allowed here', { allow }));
    }
    allowPreflight(reply, routes);
    return reply.code(204).header('allow', allow).send();
  });
}

function patternOf(url: string): RegExp {
  const source = url.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/:[^/]+/g, '[^/]+');
  return new RegExp(`^${source.replaceAll('*', '.*')}$`);
}
