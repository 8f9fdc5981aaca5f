/** Compares two programs, for people: one difference for each thing that somebody changed. */
import { isWhole, type ListWithoutId } from './fields.ts';
import { LIMITS } from './limits.ts';
import { isObject, isSame, patternOf, valueAt, withValueAt } from './paths.ts';

export interface Difference {
  readonly kind: 'changed' | 'added' | 'removed' | 'moved';
  /** In the newer program or, if it is gone there, in the older one. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The name of the entry of a list that it is in, such as `Captain`. */
  readonly entry: string | null;
}

type Values = Readonly<Record<string, unknown>>;

/** How the entries of a list are told apart, and what they are called. */
interface Entries {
  readonly keyOf: (entry: Values) => string;
  readonly nameOf: (entry: Values) => string;
}

/** By the path of the list. Entries of all other lists have an id, which is their name too. */
export const LISTS = {
  branches: { keyOf: ({ id }) => String(id), nameOf: ({ name }) => String(name) },
  benefits: { keyOf: ({ id }) => String(id), nameOf: ({ title }) => String(title) },
  'levels.ladder': {
    keyOf: ({ id, name }) => (id as string | null) ?? `new ${name as string}`,
    nameOf: ({ name }) => String(name),
  },
  stamps: { keyOf: ({ id }) => String(id), nameOf: ({ title }) => String(title) },
  'earning.rules': { keyOf: ({ id }) => String(id), nameOf: ({ title }) => String(title) },
  'earning.double_points': { keyOf: ({ from, to }) => `${from as string} ${to as string}`, nameOf: () => '' },
} satisfies Record<ListWithoutId, Entries> & Record<string, Entries> as Readonly<Record<string, Entries>>;

const byId: Entries = { keyOf: ({ id }) => String(id), nameOf: ({ id }) => String(id) };

/** True for a list of the program whose entries are compared one by one. */
export const isList = (path: string): boolean => LIMITS[path]?.maxItems !== undefined;

/** Returns the entries of a list with a key each. If two have the same, such as two new tiers of one name, the later one is told apart. */
export function keyEntries(
  list: string,
  entries: readonly Values[],
): (readonly [key: string, entry: Values])[] {
  const { keyOf } = LISTS[list] ?? byId;
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const key = keyOf(entry);
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    return [count === 0 ? key : `${key} ${count + 1}`, entry];
  });
}

/** Returns where a value of one program stands in another: an entry of a list may have moved. Null if it is not there. */
export function samePlaceIn(other: unknown, whole: unknown, path: string): string | null {
  const [start, list, index] = /^(.+?)\[(\d+)\]/.exec(path) ?? [];
  if (start === undefined || list === undefined || !isList(list)) return path;
  const keysIn = (program: unknown) =>
    keyEntries(list, (valueAt(program, list) ?? []) as readonly Values[]).map(([key]) => key);
  const key = keysIn(whole)[Number(index)];
  const there = key === undefined ? -1 : keysIn(other).indexOf(key);
  return there === -1 ? null : `${list}[${there}]${path.slice(start.length)}`;
}

/** As `samePlaceIn`, for a program that was changed since: an entry without an id that got another name stays where it is. */
export function laterPlaceOf(then: unknown, now: unknown, path: string): string | null {
  const place = samePlaceIn(now, then, path);
  const [entry = ''] = /^.+?\[\d+\]/.exec(path) ?? [];
  const isRenamed = [then, now].every(
    (program) => (valueAt(program, entry) as Values | undefined)?.['id'] === null,
  );
  return place === null && isRenamed && samePlaceIn(then, now, entry) === null ? path : place;
}

export function differencesBetween(before: unknown, after: unknown): Difference[] {
  return at('', before, after, null);
}

/** Returns the newer program without one of its differences from the older one. */
export function withoutDifference<T>(program: T, { kind, path, before }: Difference, older: T): T {
  if (kind === 'added') return withValueAt(program, path, undefined);
  if (kind === 'changed') return withValueAt(program, path, before);
  const [, list = path, index] = /^(.+)\[(\d+)\]$/.exec(path) ?? [];
  const entries = valueAt(program, list) as readonly Values[];
  if (kind === 'removed') {
    // It comes back behind the nearest entry before it that is still there.
    const keysBefore = keyEntries(list, valueAt(older, list) as readonly Values[])
      .slice(0, Number(index))
      .map(([key]) => key);
    const place = keyEntries(list, entries).findLastIndex(([key]) => keysBefore.includes(key)) + 1;
    return withValueAt(program, list, entries.toSpliced(place, 0, before as Values));
  }
  const order = keyEntries(list, before as readonly Values[]).map(([key]) => key);
  const placeOf = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length);
  const sorted = keyEntries(list, entries).toSorted(([a], [b]) => placeOf(a) - placeOf(b));
  return withValueAt(
    program,
    list,
    sorted.map(([, entry]) => entry),
  );
}

function at(path: string, before: unknown, after: unknown, entry: string | null): Difference[] {
  if (isSame(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && isList(path))
    return inList(path, before as Values[], after as Values[]);
  if (isObject(before) && isObject(after) && !isWhole(patternOf(path)))
    return Object.keys({ ...before, ...after }).flatMap((key) =>
      at(path === '' ? key : `${path}.${key}`, before[key], after[key], entry),
    );
  return [{ kind: 'changed', path, before, after, entry }];
}

function inList(path: string, before: readonly Values[], after: readonly Values[]): Difference[] {
  const { nameOf } = LISTS[path] ?? byId;
  const [was, is] = [entriesOf(path, before), entriesOf(path, after)];
  const stayed = (keys: Iterable<string>, other: ReadonlyMap<string, unknown>) =>
    [...keys].filter((key) => other.has(key));
  return [
    ...[...is].flatMap(([key, { entry, index }]): Difference[] => {
      const old = was.get(key)?.entry;
      const place = `${path}[${index}]`;
      return old === undefined
        ? [{ kind: 'added', path: place, before: null, after: entry, entry: nameOf(entry) }]
        : at(place, old, entry, nameOf(entry));
    }),
    ...[...was].flatMap(([key, { entry, index }]): Difference[] =>
      is.has(key)
        ? []
        : [{ kind: 'removed', path: `${path}[${index}]`, before: entry, after: null, entry: nameOf(entry) }],
    ),
    ...(isSame(stayed(was.keys(), is), stayed(is.keys(), was))
      ? []
      : [{ kind: 'moved', path, before, after, entry: null } as const]),
  ];
}

function entriesOf(list: string, entries: readonly Values[]) {
  return new Map(keyEntries(list, entries).map(([key, entry], index) => [key, { entry, index }]));
}
