import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Keywords } from './compile-reader.ts';
import { UnreadableBody } from './json-body.ts';
import { toShownName } from '#text/near-name.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The fields that the call sent and its route does not know, fit to be shown. Null if there is nothing. */
    unknownNames: readonly string[] | null;
  }
}

/** The fields that a route takes and that callers send under other names. */
interface Takes {
  readonly key: boolean;
  readonly externalId: boolean;
}

/** The most names in the header. */
const MOST_NAMED = 10;

/**
 * Names the fields, query parameters and misspelled headers that a call sent and its route does not know, in
 * `X-Unknown-Fields`. Nearly everywhere they are ignored, so a misspelled optional one would go unnoticed. Call it before the
 * hooks that replace the body and the query.
 */
export function reportUnknownFields(app: FastifyInstance): void {
  app.decorateRequest('unknownNames', null);
  app.addHook('onRoute', (route) => {
    const { credential } = route.config ?? {};
    if (credential !== 'key' && credential !== 'user' && credential !== 'header') return;
    const knownBody = namesIn(route, 'body');
    const knownQuery = namesIn(route, 'querystring');
    const takes: Takes = {
      key: namesIn(route, 'headers').has('idempotency-key'),
      externalId: knownBody.has('external_id'),
    };
    const report = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      const names = [
        ...unknownIn(request.body, knownBody, 'body'),
        ...unknownIn(request.query, knownQuery, 'query'),
        ...misspelledIn(request.raw.headers, takes),
      ];
      if (names.length > 0) {
        request.unknownNames = names.slice(0, MOST_NAMED).map(toShownName);
        const shown = request.unknownNames.map((name) => `"${name}"`);
        reply.header(
          'x-unknown-fields',
          [...shown, ...(names.length > MOST_NAMED ? ['...'] : [])].join(', '),
        );
      }
      done();
    };
    // Before the validation, so that an answer about a missing field can name the misspelled one.
    route.preValidation = [report, ...[route.preValidation ?? []].flat()];
  });
}

function namesIn({ schema }: RouteOptions, part: 'body' | 'querystring' | 'headers'): ReadonlySet<string> {
  return new Set(Object.keys((schema?.[part] as Keywords | undefined)?.properties ?? {}));
}

function unknownIn(sent: unknown, known: ReadonlySet<string>, part: string): string[] {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent) || sent instanceof UnreadableBody)
    return [];
  const names: string[] = [];
  for (const name in sent) {
    if (!known.has(name)) names.push(`${part}.${name}`);
    // One more than is shown, to know that there are more.
    if (names.length > MOST_NAMED) break;
  }
  return names;
}

/** Cheap, because every header of a purchase is compared. */
const MAY_MEAN_KEY = /idemp|dempot/;
const MAY_MEAN_EXTERNAL_ID = /^(?:x-)?external[-_]?id$/;

/**
 * Finds `X-Idempotency-Key`, `Idempotence-Key` and the like: without the right header a repeated call counts twice. And
 * `External-Id`, which belongs in the body.
 */
function misspelledIn(headers: FastifyRequest['raw']['headers'], takes: Takes): string[] {
  const names: string[] = [];
  if (!takes.key && !takes.externalId) return names;
  const mayMeanKey = takes.key && headers['idempotency-key'] === undefined;
  for (const name in headers) {
    if ((mayMeanKey && MAY_MEAN_KEY.test(name)) || (takes.externalId && MAY_MEAN_EXTERNAL_ID.test(name)))
      names.push(`header.${name}`);
    if (names.length > MOST_NAMED) break;
  }
  return names;
}
