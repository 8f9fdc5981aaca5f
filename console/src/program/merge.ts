/** Puts two people's changes of the same program together. */
import { isList, keyEntries } from './differences.ts';
import { isObject, isSame } from './paths.ts';

/** Both changed it, and not to the same. */
export interface Conflict {
  /** Names the place by the ids of its entries, whatever their order: `levels.ladder{captain}.threshold`. */
  readonly id: string;
  /** Where it is in the merged program. */
  readonly path: string;
  readonly mine: unknown;
  readonly theirs: unknown;
}

type Values = Readonly<Record<string, unknown>>;

/** Takes one change back from a program that was changed further since. What was done since to a thing that the change had added goes with it. */
export function withoutChange<T>(before: T, after: T, now: T): T {
  return mergePrograms(after, now, before, ({ theirs }) => theirs !== undefined).program;
}

/** Returns what both have changed in `base`. Each conflict has what `keepsMine` says. */
export function mergePrograms<T>(
  base: T,
  mine: T,
  theirs: T,
  keepsMine: (conflict: Conflict) => boolean,
): { readonly program: T; readonly conflicts: readonly Conflict[] } {
  const conflicts: Conflict[] = [];
  return { program: merge('', '', base, mine, theirs) as T, conflicts };

  function merge(id: string, path: string, before: unknown, own: unknown, other: unknown): unknown {
    if (isSame(own, other) || isSame(other, before)) return own;
    if (isSame(own, before)) return other;
    if (isList(path) && [before, own, other].every(Array.isArray))
      return mergeLists(path, before as Values[], own as Values[], other as Values[]);
    if (isObject(before) && isObject(own) && isObject(other)) {
      const inner = (name: string, key: string) => (name === '' ? key : `${name}.${key}`);
      return Object.fromEntries(
        Object.keys({ ...other, ...own }).map((key) => [
          key,
          merge(inner(id, key), inner(path, key), before[key], own[key], other[key]),
        ]),
      );
    }
    const conflict = { id, path, mine: own, theirs: other };
    conflicts.push(conflict);
    return keepsMine(conflict) ? own : other;
  }

  /** The order is mine if I changed it, else theirs. Entries that only one of us has added stay. */
  function mergeLists(
    path: string,
    before: readonly Values[],
    own: readonly Values[],
    other: readonly Values[],
  ): Values[] {
    const [was, my, their] = [before, own, other].map((entries) => new Map(keyEntries(path, entries))) as [
      Map<string, Values>,
      Map<string, Values>,
      Map<string, Values>,
    ];
    const isMyOrderTheirs = isSame(
      [...my.keys()].filter((key) => was.has(key)),
      [...was.keys()].filter((key) => my.has(key)),
    );
    const keys = new Set(isMyOrderTheirs ? [...their.keys(), ...my.keys()] : [...my.keys(), ...their.keys()]);
    const entries: Values[] = [];
    for (const key of keys) {
      const entry = merge(
        `${path}{${key}}`,
        `${path}[${entries.length}]`,
        was.get(key),
        my.get(key),
        their.get(key),
      );
      if (entry !== undefined) entries.push(entry as Values);
    }
    return entries;
  }
}
