/** Compares two programs, for people: one difference for each thing that somebody changed. */
import { isSame, patternOf, valueAt, withValueAt } from './paths.ts';

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

/** Told as one thing, because its parts mean nothing alone. */
const WHOLE = new Set([
  'points_expiration',
  'rewards.welcome',
  'rewards.birthday',
  'rewards.monthly_top',
  'benefits[].product',
  'benefits[].shop_coupon',
]);

/** How the entries of each list are told apart, and what they are called. */
export const LISTS: Readonly<
  Record<string, { keyOf: (entry: Values) => string; nameOf: (entry: Values) => string }>
> = {
  benefits: { keyOf: ({ id }) => String(id), nameOf: ({ title }) => String(title) },
  'levels.ladder': {
    keyOf: ({ id, name }) => (id as string | null) ?? `new ${name as string}`,
    nameOf: ({ name }) => String(name),
  },
  'earning.double_points': { keyOf: ({ from, to }) => `${from as string} ${to as string}`, nameOf: () => '' },
};

/** Returns where a value of one program stands in another: an entry of a list may have moved. Null if it is not there. */
export function samePlaceIn(other: unknown, whole: unknown, path: string): string | null {
  const [start, list, index] = /^(.+?)\[(\d+)\]/.exec(path) ?? [];
  const lister = list === undefined ? undefined : LISTS[list];
  if (start === undefined || lister === undefined) return path;
  const entry = valueAt(whole, start) as Values | undefined;
  const entries = valueAt(other, list!) as readonly Values[] | undefined;
  const key = entry === undefined ? `no entry ${index}` : lister.keyOf(entry);
  const there = entries?.findIndex((one) => lister.keyOf(one) === key) ?? -1;
  return there === -1 ? null : `${list}[${there}]${path.slice(start.length)}`;
}

export function differencesBetween(before: unknown, after: unknown): Difference[] {
  return at('', before, after, null);
}

/** Returns the newer program without one of its differences. */
export function withoutDifference<T>(program: T, { kind, path, before }: Difference): T {
  if (kind === 'added') return withValueAt(program, path, undefined);
  if (kind === 'changed') return withValueAt(program, path, before);
  const [, list = path, index] = /^(.+)\[(\d+)\]$/.exec(path) ?? [];
  const entries = valueAt(program, list) as readonly Values[];
  if (kind === 'removed')
    return withValueAt(program, list, entries.toSpliced(Number(index), 0, before as Values));
  const { keyOf } = LISTS[list]!;
  const order = (before as readonly Values[]).map(keyOf);
  const placeOf = (entry: Values) => {
    const place = order.indexOf(keyOf(entry));
    return place === -1 ? order.length : place;
  };
  return withValueAt(
    program,
    list,
    entries.toSorted((a, b) => placeOf(a) - placeOf(b)),
  );
}

function at(path: string, before: unknown, after: unknown, entry: string | null): Difference[] {
  if (isSame(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && LISTS[path] !== undefined)
    return inList(path, before as Values[], after as Values[]);
  if (isObject(before) && isObject(after) && !WHOLE.has(patternOf(path)))
    return Object.keys({ ...before, ...after }).flatMap((key) =>
      at(path === '' ? key : `${path}.${key}`, before[key], after[key], entry),
    );
  return [{ kind: 'changed', path, before, after, entry }];
}

function inList(path: string, before: readonly Values[], after: readonly Values[]): Difference[] {
  const { keyOf, nameOf } = LISTS[path]!;
  const was = new Map(before.map((entry, index) => [keyOf(entry), { entry, index }]));
  const is = new Map(after.map((entry, index) => [keyOf(entry), { entry, index }]));
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

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
