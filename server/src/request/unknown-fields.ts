import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Keywords } from './compile-reader.ts';
import { UnreadableBody } from './json-body.ts';
import { MOST_UNKNOWN } from '#problems/invalid-request.ts';
import { toShownName } from '#text/near-name.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body and query as they were sent. */
    sent: { readonly body: unknown; readonly query: unknown } | null;
  }
}

/**
 * Names the fields and query parameters that a call sent and its route does not know, in `X-Unknown-Fields`, at sandbox
 * commerces only. Everywhere they are ignored, so a misspelled optional field would go unnoticed. Call it after
 * `validateRequests`, whose work replaces the body and the query.
 */
export function reportUnknownFields(app: FastifyInstance): void {
  app.decorateRequest('sent', null);
  app.addHook('onRoute', (route) => {
    const { credential } = route.config ?? {};
    if (credential !== 'key' && credential !== 'user' && credential !== 'header') return;
    const knownBody = namesIn(route, 'body');
    const knownQuery = namesIn(route, 'querystring');
    const report = (body: unknown, query: unknown, reply: FastifyReply): void => {
      const names = [...unknownIn(body, knownBody, 'body'), ...unknownIn(query, knownQuery, 'query')];
      if (names.length > 0) reply.header('x-unknown-fields', listOf(names));
    };
    // The commerce of a key is known here already, so that an answer about a missing field can name the misspelled one.
    const early = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      if (request.key?.sandbox === true) report(request.body, request.query, reply);
      done();
    };
    const keep = (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
      request.sent = { body: request.body, query: request.query };
      done();
    };
    const late = ({ commerce, sent }: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      if (commerce?.sandbox === true) report(sent!.body, sent!.query, reply);
      done();
    };
    route.preValidation = [credential === 'key' ? early : keep, ...[route.preValidation ?? []].flat()];
    if (credential !== 'key') route.preHandler = [...[route.preHandler ?? []].flat(), late];
  });
}

function namesIn({ schema }: RouteOptions, part: 'body' | 'querystring'): ReadonlySet<string> {
  return new Set(Object.keys((schema?.[part] as Keywords | undefined)?.properties ?? {}));
}

function unknownIn(sent: unknown, known: ReadonlySet<string>, part: string): string[] {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent) || sent instanceof UnreadableBody)
    return [];
  const names: string[] = [];
  for (const name in sent) {
    if (!known.has(name)) names.push(`${part}.${name}`);
    // One more than is shown, to know that there are more.
    if (names.length > MOST_UNKNOWN) break;
  }
  return names;
}

/** Writes a list for a header. The names come from the caller, so only harmless characters are repeated. */
function listOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_UNKNOWN).map((name) => `"${toShownName(name)}"`);
  return [...shown, ...(names.length > MOST_UNKNOWN ? ['...'] : [])].join(', ');
}
