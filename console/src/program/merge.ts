/** Puts two people's changes of the same program together. */
import { LISTS } from './differences.ts';
import { isSame, patternOf } from './paths.ts';

export interface Conflict {
  readonly path: string;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface Merged<T> {
  /** Where both changed the same, it has what `keepsMine` says. */
  readonly program: T;
  /** What both changed, and not to the same. Paths are those of the merged program. */
  readonly conflicts: readonly Conflict[];
}

type Values = Readonly<Record<string, unknown>>;

/** `keepsMine` decides each conflict by its path. */
export function mergePrograms<T>(base: T, mine: T, theirs: T, keepsMine: (path: string) => boolean): Merged<T> {
  const conflicts: Conflict[] = [];
  const program = merge('', base, mine, theirs) as T;
  return { program, conflicts };

  function merge(path: string, before: unknown, own: unknown, other: unknown): unknown {
    if (isSame(own, other) || isSame(other, before)) return own;
    if (isSame(own, before)) return other;
    if (LISTS[patternOf(path)] !== undefined && [before, own, other].every(Array.isArray))
      return mergeLists(path, before as Values[], own as Values[], other as Values[]);
    if (isObject(before) && isObject(own) && isObject(other))
      return Object.fromEntries(
        Object.keys({ ...other, ...own }).map((key) => [
          key,
          merge(path === '' ? key : `${path}.${key}`, before[key], own[key], other[key]),
        ]),
      );
    conflicts.push({ path, mine: own, theirs: other });
    return keepsMine(path) ? own : other;
  }

  /** The order is mine if I changed it, else theirs. What only the other has added comes last. */
  function mergeLists(path: string, before: readonly Values[], own: readonly Values[], other: readonly Values[]): Values[] {
    const { keyOf } = LISTS[path]!;
    const maps = [before, own, other].map((list) => new Map(list.map((entry) => [keyOf(entry), entry])));
    const [was, my, their] = maps as [Map<string, Values>, Map<string, Values>, Map<string, Values>];
    const order = isSame([...my.keys()].filter((key) => was.has(key)), [...was.keys()].filter((key) => my.has(key)))
      ? [...their.keys(), ...my.keys()]
      : [...my.keys(), ...their.keys()];
    const entries: Values[] = [];
    for (const key of new Set(order)) {
      const entry = merge(`${path}[${entries.length}]`, was.get(key), my.get(key), their.get(key));
      if (entry !== undefined) entries.push(entry as Values);
    }
    return entries;
  }
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
