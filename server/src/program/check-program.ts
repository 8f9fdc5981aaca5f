/**
 * Checks what a file or the console says against the model and fills in the defaults: the whole program, or every
 * problem there is with what would be right. Nothing is changed or stored.
 */
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { checkMeaning } from './check-meaning.ts';
import { nearestName } from './nearest-name.ts';
import { programFileSchema } from './program.ts';
import type { Program, ProgramProblem } from './program.ts';
import { normalInstant } from './values.ts';

export type CheckedProgram =
  | { readonly ok: true; readonly program: Program; readonly clock: Date | null }
  | { readonly ok: false; readonly problems: ProgramProblem[] };

export function checkProgram(said: unknown): CheckedProgram {
  const problems: ProgramProblem[] = [];
  const file = complete(programFileSchema, said, [], problems);
  problems.push(...checkMeaning(file, said, problems));
  if (problems.length > 0) return { ok: false, problems };
  const { clock, ...program } = file as Program & { clock: string | null };
  return { ok: true, program, clock: clock === null ? null : new Date(clock) };
}

/** The keys of TypeBox's schemas that are read here. */
interface Shape {
  readonly must?: string;
  readonly default?: unknown;
  readonly instant?: boolean;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly maxItems?: number;
  readonly anyOf?: readonly TSchema[];
}

function complete(
  schema: TSchema,
  said: unknown,
  path: ProgramProblem['path'],
  problems: ProgramProblem[],
): unknown {
  const shape = schema as Shape;
  const value = said ?? structuredClone(shape.default);
  if (value === null) return null;
  const wrong = (message: string) => problems.push({ path, message, at: 'value' });

  const [inner, ...others] = (shape.anyOf ?? []).filter((option) => (option as Shape).type !== 'null');
  if (inner && others.length === 0) return complete(inner, value, path, problems);
  if (shape.properties) {
    if (value === undefined) return wrong(`is required: ${keysOf(shape.properties)}`);
    if (!isMap(value)) return wrong(`must have ${keysOf(shape.properties)}, not ${named(value)}`);
    return completeMap(shape.properties, value, path, problems);
  }
  if (shape.items) {
    const { items, maxItems = Infinity } = shape;
    if (!Array.isArray(value)) return wrong(`must be a list, not ${named(value)}`);
    if (value.length > maxItems) return wrong(`must have at most ${maxItems} entries, not ${value.length}`);
    return value.map((item, index) => complete(items, item, [...path, index], problems));
  }
  const must = shape.must ?? '';
  if (value === undefined) return wrong(`is required: ${must}`);
  if (!Value.Check(schema, value))
    return wrong(`must be ${must}, not ${named(value)}${quoteHint(shape, value)}`);
  if (shape.instant) return normalInstant(value as string);
  return value === 0 ? 0 : value; // -0 becomes 0
}

function completeMap(
  fields: Readonly<Record<string, TSchema>>,
  said: Readonly<Record<string, unknown>>,
  path: ProgramProblem['path'],
  problems: ProgramProblem[],
): Record<string, unknown> {
  for (const key of Object.keys(said).filter((key) => !Object.hasOwn(fields, key))) {
    const near = nearestName(key, Object.keys(fields));
    const message = `is not known here${near ? `; did you mean ${near}?` : '.'} Known are ${Object.keys(fields).join(', ')}`;
    problems.push({ path: [...path, key], message, at: 'key' });
  }
  const entries = Object.entries(fields).map(([key, field]) => {
    const value = Object.hasOwn(said, key) ? said[key] : undefined;
    return [key, complete(field, value, [...path, key], problems)] as const;
  });
  return Object.fromEntries(entries);
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
  // JSON has no word for what YAML calls .inf and .nan.
  const shown = typeof value === 'number' ? value.toString() : JSON.stringify(value);
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown;
}

function quoteHint(shape: Shape, value: unknown): string {
  const text = shape.type === 'string' && (typeof value === 'number' || typeof value === 'boolean');
  return text ? '; put it in quotes to make it text' : '';
}
