import type { TSchema } from 'typebox';
import type { ErrorCode } from '#problems/error-codes.ts';
import { type Issue, addIssue } from '#problems/invalid-request.ts';
import * as texts from '#problems/invalid-request.ts';
import { compileInteger, compileNumber } from './read-number.ts';
import { toShownName } from '#text/near-name.ts';
import { isStorable } from '#text/plain-text.ts';
import { compileString } from './read-string.ts';

/**
 * Where a value comes from. JSON values have types; values from a path, query or header are text and must be parsed.
 */
export type Source = 'json' | 'text';

/**
 * Reads one value and returns what the handler gets. Adds what is wrong to `issues`, with its place inside the value;
 * if it adds an issue, ignore the return value.
 */
export type Read = (value: unknown, issues: Issue[]) => unknown;

/** The part of JSON Schema that request schemas may use. */
export interface Keywords {
  type?: string | string[];
  anyOf?: Keywords[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  properties?: Record<string, Keywords>;
  /** False refuses fields that are not declared, true takes an object as it is. Otherwise they are ignored. */
  additionalProperties?: boolean | Keywords;
  required?: string[];
  items?: Keywords;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  /** A `maxLength` that the documents do not show. */
  'x-max-length'?: number;
  /** Advice for callers who get this field wrong. */
  'x-hint'?: string;
  /** The codes of a 422 about this field, instead of `invalid`. */
  'x-error-codes'?: { readonly missing?: ErrorCode; readonly wrong?: ErrorCode };
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

/**
 * Compiles a schema into a function that reads its values. Nothing is coerced: a string never becomes an integer, and
 * null never becomes zero. Only declared fields are passed on, so unknown fields and `__proto__` are dropped, or refused
 * where the schema says `additionalProperties: false`. Throws if
 * the schema uses a keyword that the reader does not check.
 */
export function compileReader(schema: TSchema | Keywords, source: Source): Read {
  const keywords = schema as Keywords;
  refuseUnknownKeywords(keywords);
  const all = alternativesOf(keywords);
  const real = all.filter((one) => one.type !== 'null');
  const [first = {}] = real;
  if (real.length === 0) return (value, issues) => (value === null ? null : addIssue(issues, texts.NOT_NULL));
  const read = real.length === 1 ? compileSingle(first, source) : compileUnion(real, source);
  return real.length === all.length ? read : (value, issues) => (value === null ? null : read(value, issues));
}

const CHECKED =
  'type anyOf const enum default properties additionalProperties required items minItems maxItems minLength maxLength pattern format minimum maximum exclusiveMinimum';
const ANNOTATIONS = 'title description examples deprecated';
const KNOWN: ReadonlySet<string> = new Set(`${CHECKED} ${ANNOTATIONS}`.split(' '));

function refuseUnknownKeywords(schema: object): void {
  for (const keyword of Object.keys(schema)) {
    if (!KNOWN.has(keyword) && !keyword.startsWith('x-') && !keyword.startsWith('~')) {
      throw new Error(`a request schema uses "${keyword}", which is not checked`);
    }
  }
}

function alternativesOf(schema: Keywords): Keywords[] {
  if (schema.anyOf) return schema.anyOf.flatMap(alternativesOf);
  return Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : [schema];
}

function compileSingle(schema: Keywords, source: Source): Read {
  refuseUnknownKeywords(schema);
  if (schema.const !== undefined) return compileChoice([schema.const], source);
  if (schema.enum) return compileChoice(schema.enum, source);
  switch (schema.type) {
    case 'object':
      return compileObject(schema, source);
    case 'array':
      return compileList(schema, source);
    case 'string':
      return compileString(schema);
    case 'integer':
      return compileInteger(schema, source);
    case 'number':
      if (source === 'json') return compileNumber(schema);
      break;
    case 'boolean':
      return source === 'json' ? readBoolean : readBooleanText;
    case undefined:
      return readAnything;
  }
  throw new Error(`a request schema uses the type ${String(schema.type)}, which is not checked`);
}

/** Runs a reader and prepends `place` to the location of every issue that it adds. */
export function readAt(place: string | number, read: Read, value: unknown, issues: Issue[]): unknown {
  const before = issues.length;
  const result = read(value, issues);
  for (let i = before; i < issues.length; i += 1) issues[i]?.loc.unshift(place);
  return result;
}

function compileObject(schema: Keywords, source: Source): Read {
  if (schema.additionalProperties === true) return readAnyObject;
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    required: required.has(name),
    takesNull: alternativesOf(field).some(takesNull),
    otherwise: field.default,
    read: compileReader(field, source),
  }));
  const known = schema.additionalProperties === false ? new Set(fields.map(({ name }) => name)) : null;
  return (value, issues) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return addIssue(issues, texts.NOT_AN_OBJECT);
    const result: Record<string, unknown> = {};
    for (const field of fields) {
      const given = Object.hasOwn(value, field.name)
        ? (value as Record<string, unknown>)[field.name]
        : undefined;
      if (given === undefined || (given === null && !field.required && !field.takesNull)) {
        if (field.otherwise !== undefined) result[field.name] = field.otherwise;
        else if (field.required) issues.push({ loc: [field.name], ...texts.MISSING });
      } else {
        result[field.name] = readAt(field.name, field.read, given, issues);
      }
    }
    if (known) refuseUnknownNames(value, known, issues);
    return result;
  };
}

/** A document that its slice checks itself. */
function readAnyObject(value: unknown, issues: Issue[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return addIssue(issues, texts.NOT_AN_OBJECT);
  return readAnything(value, issues);
}

function refuseUnknownNames(value: object, known: ReadonlySet<string>, issues: Issue[]): void {
  const unknown = Object.keys(value).filter((name) => !known.has(name));
  for (const name of unknown.slice(0, texts.MOST_UNKNOWN))
    issues.push({ loc: [toShownName(name)], ...texts.NOT_A_FIELD });
}

function takesNull({ type, enum: values, const: value }: Keywords): boolean {
  return type === 'null' || (type === undefined && values === undefined && value === undefined);
}

function compileList(schema: Keywords, source: Source): Read {
  const item = compileReader(schema.items ?? {}, source);
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  return (value, issues) => {
    if (!Array.isArray(value)) return addIssue(issues, texts.NOT_A_LIST);
    if (value.length < minItems)
      return addIssue(issues, lengthIssue('at least', 'too_short', minItems, value.length));
    if (value.length > maxItems)
      return addIssue(issues, lengthIssue('at most', 'too_long', maxItems, value.length));
    return value.map((one: unknown, index) => readAt(index, item, one, issues));
  };
}

function lengthIssue(bound: string, type: string, limit: number, length: number): texts.IssueText {
  const items = limit === 1 ? 'item' : 'items';
  return { msg: `List should have ${bound} ${limit} ${items} after validation, not ${length}`, type };
}

/** Returns the value as the first matching branch reads it. If no branch matches, adds the issues of the last one. */
function compileUnion(branches: Keywords[], source: Source): Read {
  const values = branches.map((branch) => branch.const);
  if (values.every((value) => value !== undefined)) return compileChoice(values, source);
  const reads = branches.map((branch) => compileSingle(branch, source));
  return (value, issues) => {
    let wrong: Issue[] = [];
    for (const read of reads) {
      wrong = [];
      const result = read(value, wrong);
      if (wrong.length === 0) return result;
    }
    issues.push(...wrong);
    return undefined;
  };
}

function compileChoice(given: readonly unknown[], source: Source): Read {
  const values: unknown[] = given.filter((value) => value !== null);
  if (source === 'text' && values.some((value) => typeof value !== 'string')) {
    throw new Error('a choice in a path, query or header must consist of strings');
  }
  const shown = values.map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value)));
  const last = shown.pop() ?? '';
  const msg = `Input should be ${shown.length > 0 ? `${shown.join(', ')} or ${last}` : last}`;
  return (value, issues) =>
    values.includes(value) ? value : addIssue(issues, { msg, type: 'literal_error' });
}

function readBoolean(value: unknown, issues: Issue[]): unknown {
  return typeof value === 'boolean' ? value : addIssue(issues, texts.NOT_A_BOOLEAN);
}

function readBooleanText(value: unknown, issues: Issue[]): unknown {
  return value === 'true' || value === 'false'
    ? value === 'true'
    : addIssue(issues, texts.UNPARSABLE_BOOLEAN);
}

/** Accepts any value whose texts and names can be stored. */
function readAnything(value: unknown, issues: Issue[]): unknown {
  if (!isStorableThroughout(value)) return addIssue(issues, texts.NOT_UNICODE);
  return namesPrototype(value) ? addIssue(issues, texts.FORBIDDEN_NAME) : value;
}

function isStorableThroughout(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorableThroughout(inner));
}

function namesPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => name === '__proto__' || namesPrototype(inner));
}
