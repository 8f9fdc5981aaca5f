import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Fault, InvalidRequest, MISSING, NOT_A_STRING, refuse } from '#problems/invalid-request.ts';
import { UnreadableBody } from './json-body.ts';
import { type Keywords, type Read, readAt, reader } from './compile-reader.ts';

/**
 * Checks every request against the schemas of its route, before the handler and in one go: all problems of path,
 * query, headers and body come in one 422, in that order. Fastify's own validation is switched off: it coerces, and
 * stops at the first problem.
 */
export function validateRequests(app: FastifyInstance): void {
  app.setValidatorCompiler(() => () => true);
  app.addHook('onRoute', (route) => {
    const read = route.schema && requestReader(route.schema as Parts);
    if (!read) return;
    const check = (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void => {
      const faults: Fault[] = [];
      for (const readPart of read) readPart(request, faults);
      if (faults.length > 0) done(new InvalidRequest(faults));
      else done();
    };
    route.preValidation = [check, ...[route.preValidation ?? []].flat()];
  });
}

interface Parts {
  params?: Keywords;
  querystring?: Keywords;
  headers?: Keywords;
  body?: Keywords;
}

type ReadPart = (request: FastifyRequest, faults: Fault[]) => void;

function requestReader({ params, querystring, headers, body }: Parts): ReadPart[] {
  const parts: ReadPart[] = [];
  if (params) {
    const read = reader(params, 'text');
    parts.push((request, faults) => {
      request.params = readAt('path', read, request.params, faults);
    });
  }
  if (querystring) {
    const read = reader(querystring, 'text');
    parts.push((request, faults) => {
      request.query = readAt('query', read, lastOfEach(request.query as Record<string, unknown>), faults);
    });
  }
  if (headers)
    parts.push(
      ...Object.entries(headers.properties ?? {}).map(([name, schema]) =>
        headerReader(name, schema, headers),
      ),
    );
  if (body) {
    const read = bodyReader(body);
    parts.push((request, faults) => {
      request.body = read(request.body, faults);
    });
  }
  return parts;
}

/** Of a repeated query parameter the last counts. */
function lastOfEach(query: Record<string, unknown>): Record<string, unknown> {
  for (const name in query) {
    const value = query[name];
    if (Array.isArray(value)) query[name] = value.at(-1);
  }
  return query;
}

/**
 * Headers are checked where they are and not copied: a handler sees the text. Sent twice, a header has no value that
 * one could trust (Node joins the values with a comma), so it is refused.
 */
function headerReader(name: string, schema: Keywords, { required = [] }: Keywords): ReadPart {
  const read = reader(schema, 'text');
  const isRequired = required.includes(name);
  return (request, faults) => {
    const value = request.raw.headers[name];
    if (value === undefined) {
      if (isRequired) faults.push({ loc: ['header', name], ...MISSING });
      return;
    }
    readAt(
      'header',
      (text, faults) => readAt(name, onlyOnce(request, name, read), text, faults),
      value,
      faults,
    );
  };
}

function onlyOnce(request: FastifyRequest, name: string, read: Read): Read {
  return (value, faults) => {
    const before = faults.length;
    read(value, faults);
    if (faults.length === before && countHeader(request, name) > 1) refuse(faults, NOT_A_STRING);
  };
}

function countHeader({ raw: { rawHeaders } }: FastifyRequest, name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === name) count += 1;
  return count;
}

/** A body that is absent counts as `{}` where no field of it is required. */
function bodyReader(schema: Keywords): Read {
  const read = reader(schema, 'json');
  const mayBeAbsent = (schema.required ?? []).length === 0;
  return (value, faults) => {
    if (value instanceof UnreadableBody) return faults.push(value.fault);
    if (value !== undefined && value !== null) return readAt('body', read, value, faults);
    return mayBeAbsent ? read({}, faults) : faults.push({ loc: ['body'], ...MISSING });
  };
}
