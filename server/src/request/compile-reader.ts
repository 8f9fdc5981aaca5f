import type { TSchema } from 'typebox';
import { type Fault, refuse } from '#problems/invalid-request.ts';
import * as words from '#problems/invalid-request.ts';
import { integerReader, numberReader } from './read-number.ts';
import { isStorable } from '#text/plain-text.ts';
import { stringReader } from './read-string.ts';

/** Where a value comes from: JSON has types of its own, the text of a path, query or header has to be read as one. */
export type Source = 'json' | 'text';

/**
 * Reads one value: returns what the handler gets and appends what is wrong to `faults`, each with its place inside
 * the value. What is returned beside a fault means nothing.
 */
export type Read = (value: unknown, faults: Fault[]) => unknown;

/** The part of JSON Schema that a request may use. */
export interface Keywords {
  type?: string | string[];
  anyOf?: Keywords[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  properties?: Record<string, Keywords>;
  required?: string[];
  items?: Keywords;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

/**
 * Turns a schema into the function that reads values of it. Nothing is guessed: no string becomes an integer, no null
 * a zero. Only declared fields are passed on, so neither an unknown field nor `__proto__` gets any further. Throws for
 * a keyword that it would not check: a schema may not promise what the door does not keep.
 */
export function reader(schema: TSchema | Keywords, source: Source): Read {
  const keywords = schema as Keywords;
  refuseUnknownKeywords(keywords);
  const all = alternatives(keywords);
  const real = all.filter((one) => one.type !== 'null');
  const [first = {}] = real;
  if (real.length === 0) return (value, faults) => (value === null ? null : refuse(faults, words.NOT_NULL));
  const read = real.length === 1 ? single(first, source) : union(real, source);
  return real.length === all.length ? read : (value, faults) => (value === null ? null : read(value, faults));
}

const CHECKED =
  'type anyOf const enum default properties required items minItems maxItems minLength maxLength pattern format minimum maximum exclusiveMinimum';
const ANNOTATIONS = 'title description examples deprecated additionalProperties';
const KNOWN: ReadonlySet<string> = new Set(`${CHECKED} ${ANNOTATIONS}`.split(' '));

function refuseUnknownKeywords(schema: object): void {
  for (const keyword of Object.keys(schema)) {
    if (!KNOWN.has(keyword) && !keyword.startsWith('x-') && !keyword.startsWith('~')) {
      throw new Error(`a request schema uses "${keyword}", which is not checked`);
    }
  }
}

function alternatives(schema: Keywords): Keywords[] {
  if (schema.anyOf) return schema.anyOf.flatMap(alternatives);
  return Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : [schema];
}

function single(schema: Keywords, source: Source): Read {
  refuseUnknownKeywords(schema);
  if (schema.const !== undefined) return choice([schema.const], source);
  if (schema.enum) return choice(schema.enum, source);
  switch (schema.type) {
    case 'object':
      return objectReader(schema, source);
    case 'array':
      return listReader(schema, source);
    case 'string':
      return stringReader(schema);
    case 'integer':
      return integerReader(schema, source);
    case 'number':
      if (source === 'json') return numberReader(schema);
      break;
    case 'boolean':
      return source === 'json' ? boolean : booleanText;
    case undefined:
      return anything;
  }
  throw new Error(`a request schema uses the type ${String(schema.type)}, which is not checked`);
}

/** Runs a reader and puts `place` before the location of every fault that it found. */
export function readAt(place: string | number, read: Read, value: unknown, faults: Fault[]): unknown {
  const before = faults.length;
  const result = read(value, faults);
  for (let i = before; i < faults.length; i += 1) faults[i]?.loc.unshift(place);
  return result;
}

function objectReader(schema: Keywords, source: Source): Read {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    required: required.has(name),
    takesNull: alternatives(field).some(takesNull),
    otherwise: field.default,
    read: reader(field, source),
  }));
  return (value, faults) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return refuse(faults, words.NOT_AN_OBJECT);
    const result: Record<string, unknown> = {};
    for (const field of fields) {
      const given = Object.hasOwn(value, field.name)
        ? (value as Record<string, unknown>)[field.name]
        : undefined;
      if (given === undefined || (given === null && !field.required && !field.takesNull)) {
        if (field.otherwise !== undefined) result[field.name] = field.otherwise;
        else if (field.required) faults.push({ loc: [field.name], ...words.MISSING });
      } else {
        result[field.name] = readAt(field.name, field.read, given, faults);
      }
    }
    return result;
  };
}

function takesNull({ type, enum: values, const: value }: Keywords): boolean {
  return type === 'null' || (type === undefined && values === undefined && value === undefined);
}

function listReader(schema: Keywords, source: Source): Read {
  const item = reader(schema.items ?? {}, source);
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  return (value, faults) => {
    if (!Array.isArray(value)) return refuse(faults, words.NOT_A_LIST);
    if (value.length < minItems)
      return refuse(faults, wrongLength('at least', 'too_short', minItems, value.length));
    if (value.length > maxItems)
      return refuse(faults, wrongLength('at most', 'too_long', maxItems, value.length));
    return value.map((one: unknown, index) => readAt(index, item, one, faults));
  };
}

function wrongLength(bound: string, type: string, limit: number, length: number): words.Words {
  const items = limit === 1 ? 'item' : 'items';
  return { msg: `List should have ${bound} ${limit} ${items} after validation, not ${length}`, type };
}

/** The first branch that takes the value; where none does, what the last one finds wrong with it. */
function union(branches: Keywords[], source: Source): Read {
  const values = branches.map((branch) => branch.const);
  if (values.every((value) => value !== undefined)) return choice(values, source);
  const reads = branches.map((branch) => single(branch, source));
  return (value, faults) => {
    let wrong: Fault[] = [];
    for (const read of reads) {
      wrong = [];
      const result = read(value, wrong);
      if (wrong.length === 0) return result;
    }
    faults.push(...wrong);
    return undefined;
  };
}

function choice(given: readonly unknown[], source: Source): Read {
  const values: unknown[] = given.filter((value) => value !== null);
  if (source === 'text' && values.some((value) => typeof value !== 'string')) {
    throw new Error('a choice in a path, query or header is made of strings');
  }
  const shown = values.map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value)));
  const last = shown.pop() ?? '';
  const msg = `Input should be ${shown.length > 0 ? `${shown.join(', ')} or ${last}` : last}`;
  return (value, faults) => (values.includes(value) ? value : refuse(faults, { msg, type: 'literal_error' }));
}

function boolean(value: unknown, faults: Fault[]): unknown {
  return typeof value === 'boolean' ? value : refuse(faults, words.NOT_A_BOOLEAN);
}

function booleanText(value: unknown, faults: Fault[]): unknown {
  return value === 'true' || value === 'false' ? value === 'true' : refuse(faults, words.UNPARSABLE_BOOLEAN);
}

/** A value without a schema: any, as long as every text in it, names included, can be stored. */
function anything(value: unknown, faults: Fault[]): unknown {
  if (!everyText(value, isStorable)) return refuse(faults, words.NOT_UNICODE);
  return everyText(value, (text) => text !== '__proto__') ? value : refuse(faults, words.FORBIDDEN_NAME);
}

function everyText(value: unknown, holds: (text: string) => boolean): boolean {
  if (typeof value === 'string') return holds(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => holds(name) && everyText(inner, holds));
}
