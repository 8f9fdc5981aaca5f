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

/** Finds the commerce of `X-Commerce-Id`; null if there is none. */
type FindCommerce = (id: number, request: FastifyRequest) => Promise<Found> | Found;
type Found = { readonly sandbox?: boolean } | null;

/** A hook before an answer is sent, which waits only if it must. */
type Last = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
) => Promise<undefined> | undefined;

/**
 * Names the fields, query parameters and misspelled headers that a call sent and its route does not know, in
 * `X-Unknown-Fields`, at sandbox commerces only. Nearly everywhere they are ignored, so a misspelled optional one would go
 * unnoticed. Call it after `validateRequests`, whose work replaces the body and the query.
 */
export function reportUnknownFields(app: FastifyInstance, findCommerce: FindCommerce): void {
  app.decorateRequest('sent', null);
  app.addHook('onRoute', (route) => {
    const { credential } = route.config ?? {};
    if (credential !== 'key' && credential !== 'user' && credential !== 'header') return;
    const knownBody = namesIn(route, 'body');
    const knownQuery = namesIn(route, 'querystring');
    const takesKey = namesIn(route, 'headers').has(IDEMPOTENCY_KEY);
    const report = (body: unknown, query: unknown, reply: FastifyReply): void => {
      const names = [
        ...unknownIn(body, knownBody, 'body'),
        ...unknownIn(query, knownQuery, 'query'),
        ...(takesKey ? misspelledKeys(reply.request.raw.headers) : []),
      ];
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
    // A request that is not valid is refused before its commerce is looked up.
    const last: Last = (request, reply, payload, done) => {
      const { commerce, sent, raw } = request;
      const id = reply.statusCode === 422 && commerce === null ? Number(raw.headers['x-commerce-id']) : 0;
      if (sent !== null && Number.isSafeInteger(id) && id > 0) return tellIfSandbox(id, request, reply);
      done(null, payload);
      return undefined;
    };
    route.preValidation = [credential === 'key' ? early : keep, ...[route.preValidation ?? []].flat()];
    if (credential === 'key') return;
    route.preHandler = [...[route.preHandler ?? []].flat(), late];
    route.onSend = [...[route.onSend ?? []].flat(), last];

    async function tellIfSandbox(
      id: number,
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<undefined> {
      try {
        const found = await findCommerce(id, request);
        if (found?.sandbox === true) report(request.sent?.body, request.sent?.query, reply);
      } catch {
        // An answer that is ready must not fail because of what could be added to it.
      }
    }
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
    if (names.length > MOST_UNKNOWN) break;
  }
  return names;
}

const IDEMPOTENCY_KEY = 'idempotency-key';
/** Cheap, because every header of every purchase is compared. */
const IS_NEAR = /idemp|dempot/;

/** Finds `X-Idempotency-Key`, `Idempotency_Key` and the like: without the right header a repeated call counts twice. */
function misspelledKeys(headers: FastifyRequest['raw']['headers']): string[] {
  if (headers[IDEMPOTENCY_KEY] !== undefined) return [];
  return Object.keys(headers)
    .filter((name) => IS_NEAR.test(name))
    .slice(0, MOST_UNKNOWN)
    .map((name) => `header.${name}`);
}

/** Writes a list for a header. The names come from the caller, so only harmless characters are repeated. */
function listOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_UNKNOWN).map((name) => `"${toShownName(name)}"`);
  return [...shown, ...(names.length > MOST_UNKNOWN ? ['...'] : [])].join(', ');
}
