/**
 * Completes a document: returns every field of the model, in the model's order. A field that is missing or null gets its
 * default. Files and stored documents are completed by the same code and checked by different rules.
 */
import type { Static, TSchema } from 'typebox';
import { nearestName } from './nearest-name.ts';
import type { ProgramProblem } from './program.ts';

/** Nobody reads more of them at once. Each costs a search for the name that may be meant. */
export const MOST_PROBLEMS = 100;

/** How strictly a document is checked. */
export interface DocumentRules {
  readonly isRight: (schema: TSchema, value: unknown) => boolean;
  readonly refusesUnknownKeys: boolean;
  readonly limitsLists: boolean;
  /** Returns the form in which a value is stored. */
  readonly normal: (shape: Shape, value: unknown) => unknown;
}

/** Completes a document and reports everything that breaks the rules. */
export function completeBy(
  rules: DocumentRules,
  schema: TSchema,
  said: unknown,
): { readonly value: unknown; readonly problems: ProgramProblem[] } {
  const problems: ProgramProblem[] = [];
  return { value: complete(schema, said, [], { ...rules, problems }), problems };
}

/**
 * Completes a document that any release may have stored, older or newer. Its values were checked when it was stored, so
 * only their types are checked again: a limit that is tighter today does not break a stored document. Keys that this
 * release does not know are left out of the result and stay in the database.
 * @throws UnreadableDocument
 */
export function completeStored<Schema extends TSchema>(schema: Schema, stored: unknown): Static<Schema> {
  const { value, problems } = completeBy(storeRules, schema, stored);
  if (problems.length > 0) throw new UnreadableDocument(problems);
  return value as Static<Schema>;
}

/** A required field is missing from a stored document, or a value has the wrong type. */
export class UnreadableDocument extends Error {
  constructor(problems: readonly ProgramProblem[]) {
    super(problems.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
  }
}

const storeRules: DocumentRules = {
  isRight: isOfItsKind,
  refusesUnknownKeys: false,
  limitsLists: false,
  normal: (_, value) => value,
};

/** The keys of TypeBox's schemas that are read here. */
export interface Shape {
  readonly must?: string;
  /** Values that were right once, by those that are right now. */
  readonly successors?: Readonly<Record<string, string>>;
  readonly default?: unknown;
  readonly instant?: boolean;
  readonly locale?: boolean;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly maxItems?: number;
  readonly anyOf?: readonly TSchema[];
}

type Reading = DocumentRules & { readonly problems: ProgramProblem[] };

function complete(schema: TSchema, said: unknown, path: ProgramProblem['path'], reading: Reading): unknown {
  const shape = schema as Shape;
  const value = said ?? shape.default;
  if (value === null) return null;
  const wrong = (message: string) => void reading.problems.push({ path, message, at: 'value' });
  const missing = (what: string) =>
    void reading.problems.push({ path, message: `is required: ${what}`, at: 'value', isMissing: true });

  const [inner, ...others] = (shape.anyOf ?? []).filter((option) => (option as Shape).type !== 'null');
  if (inner && others.length === 0) return complete(inner, value, path, reading);
  if (shape.properties) {
    if (value === undefined) return missing(keysOf(shape.properties));
    if (!isMap(value)) return wrong(`must have ${keysOf(shape.properties)}, not ${named(value)}`);
    return completeMap(shape.properties, value, path, reading);
  }
  if (shape.items) {
    const { items, maxItems = Infinity } = shape;
    if (!Array.isArray(value)) return wrong(`must be a list, not ${named(value)}`);
    if (reading.limitsLists && value.length > maxItems)
      return wrong(`must have at most ${maxItems} entries, not ${value.length}`);
    return value.map((item, index) => complete(items, item, [...path, index], reading));
  }
  const must = shape.must ?? shape.type ?? 'something else';
  if (value === undefined) return missing(must);
  if (!reading.isRight(schema, value))
    return wrong(`must be ${must}, not ${named(value)}${hintOf(shape, value)}`);
  return reading.normal(shape, value);
}

function completeMap(
  fields: Readonly<Record<string, TSchema>>,
  said: Readonly<Record<string, unknown>>,
  path: ProgramProblem['path'],
  reading: Reading,
): Record<string, unknown> {
  const unknown = reading.refusesUnknownKeys
    ? Object.keys(said)
        .filter((key) => !Object.hasOwn(fields, key))
        .slice(0, Math.max(0, MOST_PROBLEMS - reading.problems.length))
    : [];
  for (const key of unknown) {
    const near = nearestName(key, Object.keys(fields));
    const message = `is not known here${near ? `; did you mean ${near}?` : '.'} Known are ${Object.keys(fields).join(', ')}`;
    reading.problems.push({ path: [...path, key], message, at: 'key' });
  }
  const entries = Object.entries(fields).map(([key, field]) => {
    const value = Object.hasOwn(said, key) ? said[key] : undefined;
    return [key, complete(field, value, [...path, key], reading)] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns true if the value has the type of the field. Limits do not matter. */
function isOfItsKind(schema: TSchema, value: unknown): boolean {
  const shape = schema as Shape;
  if (shape.anyOf) return shape.anyOf.some((option) => isOfItsKind(option, value));
  if (shape.enum) return shape.enum.includes(value);
  return typeof value === (shape.type === 'integer' ? 'number' : shape.type);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function keysOf(fields: object): string {
  return `the keys ${Object.keys(fields).join(', ')}`;
}

function named(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map of keys';
  // JSON cannot show YAML's .inf and .nan.
  const shown = typeof value === 'number' ? value.toString() : JSON.stringify(value);
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown;
}

/** What helps whoever wrote the value, after the sentence that says what is wrong with it. */
function hintOf(shape: Shape, value: unknown): string {
  const { successors = {} } = shape;
  if (typeof value === 'string' && Object.hasOwn(successors, value))
    return `, which has ended; its successor is ${successors[value]}`;
  const text = shape.type === 'string' && (typeof value === 'number' || typeof value === 'boolean');
  return text ? '; put it in quotes to make it text' : '';
}
