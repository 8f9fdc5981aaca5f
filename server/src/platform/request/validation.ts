import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ErrorCode } from '#problems/error-codes.ts';
import { hintAbout } from '#problems/hint.ts';
import {
  type Issue,
  InvalidRequest,
  MISSING,
  NOT_A_FIELD,
  NOT_AN_INTEGER,
  NOT_A_STRING,
  addIssue,
} from '#problems/invalid-request.ts';
import { nearestName, toShownName } from '#text/near-name.ts';
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
      const { params: path, query, body } = request;
      for (const readPart of read) readPart(request, issues);
      if (issues.length > 0) done(explain(issues, parts, request, { path, query, body }));
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

/** The parts of a request as they were sent: reading replaces them. */
interface Sent {
  readonly path: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Returns the 422. Its code and hint are about the first issue. */
function explain(issues: Issue[], parts: Parts, request: FastifyRequest, sent: Sent): InvalidRequest {
  const first = issues[0]!;
  if (first.loc[0] === 'body' && sent.body instanceof UnreadableBody)
    return new InvalidRequest(issues, sent.body.code, sent.body.hint);
  const [part, name] = first.loc;
  const schema = parts[SCHEMA_OF[part as keyof typeof SCHEMA_OF]] ?? {};
  const field = typeof name === 'string' ? schema.properties?.[name] : undefined;
  // Two numbers in one header look like none, but what helps is to send one.
  const isTwice = part === 'header' && typeof name === 'string' && countHeader(request, name) > 1;
  const told = isTwice ? issues.with(0, { ...first, ...NOT_A_STRING }) : issues;
  const hint = hintAbout(told, {
    advice: (field ?? schema)['x-hint'],
    value: valueAt(sent, first),
    ...(first.type === MISSING.type && { sentInstead: sentInsteadOf(String(name), schema, sent.body) }),
    ...(first.type === NOT_A_FIELD.type && {
      meant: nearestName(String(name), Object.keys(schema.properties ?? {})),
      isInBody: part === 'query' && Object.hasOwn(parts.body?.properties ?? {}, String(name)),
    }),
    ...(first.type === NO_CHOICE && { meant: nearestChoice(schema, first, valueAt(sent, first)) }),
  });
  return new InvalidRequest(issues, codeOf(first, field), hint);
}

const NO_CHOICE = 'literal_error';

/** Returns the value of a choice that is meant by one that it does not have. */
function nearestChoice(schema: Keywords, { loc: [, ...path] }: Issue, value: unknown): string | undefined {
  const choice = path.reduce<Keywords | undefined>(
    (at, name) => (typeof name === 'number' ? at?.items : at?.properties?.[name]),
    schema,
  );
  const known = (choice?.enum ?? []).filter((one) => typeof one === 'string');
  return typeof value === 'string' ? nearestName(value, known) : undefined;
}

function valueAt(sent: Sent, { loc: [part, ...path] }: Issue): unknown {
  if (part === 'header') return undefined;
  let value = sent[part as keyof Sent];
  for (const name of path)
    value =
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return value;
}

/** More fields than these are not searched for one that is misspelled. */
const MOST_SEARCHED = 20;

/** Returns the name of an unknown field that was sent and may be meant to be the missing one. */
function sentInsteadOf(missing: string, { properties = {} }: Keywords, body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(properties, name));
  const instead = unknown
    .slice(0, MOST_SEARCHED)
    .find((name) => nearestName(name, Object.keys(properties)) === missing);
  return instead && toShownName(instead);
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
