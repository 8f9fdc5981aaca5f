import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { allowPreflight } from './cors.ts';
import { sendProblem } from './errors.ts';
import { createPathGuess } from './near-miss.ts';
import { NothingHere, Problem } from '#problems/problem.ts';

/** A path pattern and its routes by method. */
interface Place {
  pattern: RegExp;
  routes: Map<string, RouteOptions>;
}

/** The path exists, but not for this method. */
class WrongMethod extends Problem {
  constructor(method: string, allowed: readonly string[], instead?: string) {
    const useful = allowed.filter((one) => one !== 'HEAD' && one !== 'OPTIONS').join(' or ');
    super(405, 'method', `${method} is not allowed here: ${instead ?? `send ${useful}`}`, {
      headers: { allow: allowed.join(', ') },
    });
  }
}

/**
 * Answers requests that match no route: 404 for an unknown path, with the path that may be meant, 405 with `Allow` for
 * another method, and OPTIONS on every known path. The patterns are only searched after the router found nothing.
 */
export function answerUnmatched(app: FastifyInstance): void {
  const places = new Map<string, Place>();
  app.addHook('onRoute', (route) => {
    const place = places.get(route.url) ?? { pattern: patternOf(route.url), routes: new Map() };
    places.set(route.url, place);
    for (const method of [route.method].flat()) place.routes.set(method, route);
    // `GET /v1/consumptions/client-code` asks for no purchase with the id `client-code`.
    if (route.url.includes(':') && route.config?.document === 'extensions')
      route.preValidation = [refuseFixedPath, ...[route.preValidation ?? []].flat()];
  });
  const guessPath = createPathGuess(() =>
    [...places].flatMap(([url, { routes }]) => {
      const isPublished =
        FOR_MONITORING.has(url) || [...routes.values()].some(({ config }) => config?.document !== undefined);
      const methods = [...routes.keys()].filter((method) => method !== 'HEAD');
      return isPublished ? [{ path: url.replaceAll(/:(\w+)/g, '{$1}'), methods }] : [];
    }),
  );

  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    const found = [...places.values()].filter(({ pattern }) => pattern.test(path));
    const routes = found.flatMap((place) => [...place.routes]);
    // A route that serves files finds out itself that there is none.
    const isTaken = routes.some(([method]) => method === request.method);
    const isNowhere = routes.length === 0 || isTaken;
    // A path that exists as it is was not mistyped: only its method is wrong.
    const guess = places.has(path) ? undefined : guessPath(request.method, path, !isNowhere);
    const suggestion = guess && `${guess.method} ${guess.path}`;
    if (isNowhere) {
      const slash = path.endsWith('/') ? ', without a slash at the end' : '';
      return sendProblem(reply, new NothingHere(suggestion && suggestion + slash));
    }
    const allowed = allowedBy(routes.map(([method]) => method));
    if (request.method !== 'OPTIONS')
      return sendProblem(
        reply,
        new WrongMethod(
          request.method,
          allowed,
          suggestion === undefined ? INSTEAD[`${request.method} ${path}`] : `did you mean ${suggestion}?`,
        ),
      );
    allowPreflight(reply, routes);
    return reply.code(204).header('allow', allowed.join(', ')).send();
  });

  function refuseFixedPath(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
    const fixed = places.get(pathOf(request))?.routes;
    done(fixed && new WrongMethod(request.method, allowedBy([...fixed.keys()])));
  }
}

/** Paths that no document has and that people look for. */
const FOR_MONITORING: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** What is said about a method that a path could have, and does not. */
const INSTEAD: Readonly<Record<string, string>> = {
  'POST /v1/consumptions':
    'to record a purchase, send POST /v1/consumptions/client-code or /v1/consumptions/email; to list them, send GET',
};

function allowedBy(methods: readonly string[]): string[] {
  return [...new Set([...methods, 'OPTIONS'])];
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? '';
}

function patternOf(url: string): RegExp {
  const source = url.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/:[^/]+/g, '[^/]+');
  return new RegExp(`^${source.replaceAll('*', '.*')}$`);
}
