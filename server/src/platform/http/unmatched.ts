import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { allowPreflight } from './cors.ts';
import { sendProblem } from './errors.ts';
import { createPathGuess } from './near-miss.ts';
import { NotFound, NothingHere, Problem } from '#problems/problem.ts';

/** A path pattern and its routes by method. */
interface Place {
  url: string;
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
    const place = places.get(route.url) ?? {
      url: route.url,
      pattern: patternOf(route.url),
      routes: new Map(),
    };
    places.set(route.url, place);
    for (const method of [route.method].flat()) place.routes.set(method, route);
    // `GET /v1/benefits/redeem` asks for no reward with the id `redeem`. After the credential and the limits, before the body.
    if (route.url.includes(':') && route.config?.document !== undefined)
      route.onRequest = [...[route.onRequest ?? []].flat(), refuseFixedPath];
  });
  const guessPath = createPathGuess(() =>
    [...places].flatMap(([url, { routes }]) => {
      const isPublished =
        FOR_MONITORING.has(url) || [...routes.values()].some(({ config }) => config?.document !== undefined);
      const methods = [...routes.keys()].filter((method) => method !== 'HEAD');
      return isPublished ? [{ path: url.replaceAll(/:(\w+)/g, '{$1}'), methods }] : [];
    }),
  );

  // Before the body is read: what it is does not matter where there is no route.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) answerNoRoute(request, reply);
    else done();
  });
  // A route that serves files finds out itself that there is none.
  app.setNotFoundHandler(answerNoRoute);

  function answerNoRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const path = pathOf(request);
    // A path that exists as it is is no other one with an id: its methods are not this one's.
    const fixed = places.get(path);
    const found = fixed ? [fixed] : [...places.values()].filter(({ pattern }) => pattern.test(path));
    const routes = found.flatMap((place) => [...place.routes]);
    const isTaken = routes.some(([method]) => method === request.method);
    const isNowhere = routes.length === 0 || isTaken;
    // A path that exists as it is was not mistyped: only its method is wrong.
    const guess = fixed ? undefined : guessPath(request.method, path, !isNowhere);
    const suggestion = guess && `${guess.method} ${guess.path}`;
    if (isNowhere) {
      if (WEBHOOKS.test(path)) return sendProblem(reply, new NotFound(WEBHOOKS_ELSEWHERE));
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
          insteadOf(request.method, found) ?? (suggestion && `did you mean ${suggestion}?`),
        ),
      );
    allowPreflight(reply, routes);
    return reply.code(204).header('allow', allowed.join(', ')).send();
  }

  function refuseFixedPath(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
    const fixed = places.get(pathOf(request))?.routes;
    // The id of a benefit or of an order may be any word that the contract does not reserve. Other ids are numbers.
    const mayBeId = /:(benefit|external)_id$/.test(request.routeOptions.url ?? '');
    const isOfContract = fixed?.values().some(({ config }) => config?.document === 'contract') === true;
    done(
      fixed && (isOfContract || !mayBeId)
        ? new WrongMethod(request.method, allowedBy([...fixed.keys()]))
        : undefined,
    );
  }
}

/** Paths that no document has and that people look for. */
const FOR_MONITORING: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

const WEBHOOKS = /^\/v\d\/webhooks(\/|$)/i;
const WEBHOOKS_ELSEWHERE =
  'webhooks are made in the console (Developers, Webhooks) or with loyalty webhook create, not with an API key; /docs/webhooks.md says how';

const UNDO_PURCHASE =
  'a recorded purchase is not changed; to undo all or part of it, send POST /v1/consumptions/{consumption_id}/reversal; to read it, send GET';

/** Advice about a method that a path could have, and does not. */
const INSTEAD: Readonly<Record<string, string>> = {
  'DELETE /v1/consumptions/:consumption_id': UNDO_PURCHASE,
  'PUT /v1/consumptions/:consumption_id': UNDO_PURCHASE,
  'PATCH /v1/consumptions/:consumption_id': UNDO_PURCHASE,
  'POST /v1/consumptions':
    'to record a purchase, send POST /v1/consumptions/client-code or /v1/consumptions/email; to list them, send GET',
};

function insteadOf(method: string, found: readonly Place[]): string | undefined {
  return found.map(({ url }) => INSTEAD[`${method} ${url}`]).find((text) => text !== undefined);
}

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
