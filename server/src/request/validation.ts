import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ErrorCode } from '#problems/error-codes.ts';
import { hintAbout } from '#problems/hint.ts';
import {
  type Issue,
  InvalidRequest,
  MISSING,
  NOT_AN_INTEGER,
  NOT_A_STRING,
  addIssue,
} from '#problems/invalid-request.ts';
import { UnreadableBody } from './json-body.ts';
import { type Keywords, type Read, readAt, compileReader } from './compile-reader.ts';

/**
 * Validates every request against its route's schemas before the handler runs. One 422 lists all issues of path, query,
 * headers and body, in that order. Fastify's own validation is turned off, because it coerces values and stops at the
 * first issue.
 */
export function validateRequests(app: FastifyInstance): void {
  app.setValidatorCompiler(() => () => true);
  app.addHook('onRoute', (route) => {
    const parts = route.schema as Parts | undefined;
    const read = parts && compileRequest(parts);
    if (!read) return;
    const check = (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void => {
      const issues: Issue[] = [];
      const { body } = request;
      for (const readPart of read) readPart(request, issues);
      if (issues.length > 0) done(explain(issues, parts, request, body));
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

/** Returns the 422. Its code and hint are about the first issue. */
function explain(issues: Issue[], parts: Parts, request: FastifyRequest, body: unknown): InvalidRequest {
  const first = issues[0]!;
  if (first.loc[0] === 'body' && body instanceof UnreadableBody)
    return new InvalidRequest(issues, body.code, body.hint);
  const [part, name] = first.loc;
  const properties = parts[SCHEMA_OF[part as keyof typeof SCHEMA_OF]]?.properties ?? {};
  const field = typeof name === 'string' ? properties[name] : undefined;
  // Two numbers in one header look like none, but what helps is to send one.
  const isTwice = part === 'header' && typeof name === 'string' && countHeader(request, name) > 1;
  const told = isTwice ? issues.with(0, { ...first, ...NOT_A_STRING }) : issues;
  return new InvalidRequest(issues, codeOf(first, field), hintAbout(told, field?.['x-hint']));
}

const SCHEMA_OF = { path: 'params', query: 'querystring', header: 'headers', body: 'body' } as const;

/** A value of the wrong JSON type, such as a number in quotes, may still be what the field wants. */
function codeOf({ type }: Issue, field: Keywords | undefined): ErrorCode {
  const { missing = 'invalid', wrong = 'invalid' } = field?.['x-error-codes'] ?? {};
  if (type === MISSING.type) return missing;
  return type === NOT_AN_INTEGER.type ? 'invalid' : wrong;
}

type ReadPart = (request: FastifyRequest, issues: Issue[]) => void;

function compileRequest({ params, querystring, headers, body }: Parts): ReadPart[] {
  const parts: ReadPart[] = [];
  if (params) {
    const read = compileReader(params, 'text');
    parts.push((request, issues) => {
      request.params = readAt('path', read, request.params, issues);
    });
  }
  if (querystring) {
    const read = compileReader(querystring, 'text');
    parts.push((request, issues) => {
      request.query = readAt('query', read, takeLastValues(request.query as Record<string, unknown>), issues);
    });
  }
  if (headers)
    parts.push(
      ...Object.entries(headers.properties ?? {}).map(([name, schema]) =>
        compileHeader(name, schema, headers),
      ),
    );
  if (body) {
    const read = compileBody(body);
    parts.push((request, issues) => {
      request.body = read(request.body, issues);
    });
  }
  return parts;
}

/** Keeps the last value of each repeated query parameter. */
function takeLastValues(query: Record<string, unknown>): Record<string, unknown> {
  for (const name in query) {
    const value = query[name];
    if (Array.isArray(value)) query[name] = value.at(-1);
  }
  return query;
}

/**
 * Headers are checked but not replaced, so a handler sees the original text. A header that is sent twice is refused,
 * because Node joins the values with a comma and the result cannot be trusted.
 */
function compileHeader(name: string, schema: Keywords, { required = [] }: Keywords): ReadPart {
  const read = compileReader(schema, 'text');
  const isRequired = required.includes(name);
  return (request, issues) => {
    const value = request.raw.headers[name];
    if (value === undefined) {
      if (isRequired) issues.push({ loc: ['header', name], ...MISSING });
      return;
    }
    readAt(
      'header',
      (text, issues) => readAt(name, refuseDuplicates(request, name, read), text, issues),
      value,
      issues,
    );
  };
}

function refuseDuplicates(request: FastifyRequest, name: string, read: Read): Read {
  return (value, issues) => {
    const before = issues.length;
    read(value, issues);
    if (issues.length === before && countHeader(request, name) > 1) addIssue(issues, NOT_A_STRING);
  };
}

function countHeader({ raw: { rawHeaders } }: FastifyRequest, name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === name) count += 1;
  return count;
}

/** A missing body counts as `{}` if no field is required. */
function compileBody(schema: Keywords): Read {
  const read = compileReader(schema, 'json');
  const mayBeAbsent = (schema.required ?? []).length === 0;
  return (value, issues) => {
    if (value instanceof UnreadableBody) return issues.push(value.issue);
    if (value !== undefined && value !== null) return readAt('body', read, value, issues);
    return mayBeAbsent ? read({}, issues) : issues.push({ loc: ['body'], ...MISSING });
  };
}
