/** Lists what applying a program would change, in one readable line for each change. */
import { isDeepStrictEqual } from 'node:util';
import type { Program } from './program.ts';

/** Returns no lines if nothing changes. `before` is null for a new commerce: then every field with a value is listed. */
export function changesBetween(before: Program | null, after: Program): string[] {
  return changesAt('', before ?? undefined, after);
}

const LONGEST_SHOWN = 80;

/** How the entries of each list are told apart, and the word for an entry that is no longer in the file. */
const lists: Readonly<Record<string, { gone: string; keyOf: (entry: Entry, index: number) => string }>> = {
  branches: { gone: 'removed', keyOf: (branch) => String(branch['id']) },
  benefits: { gone: 'withdrawn', keyOf: (benefit) => String(benefit['id']) },
  stamps: { gone: 'removed', keyOf: (card) => String(card['id']) },
  'levels.ladder': { gone: 'removed', keyOf: (tier) => String(tier['id']) },
  'earning.rules': { gone: 'removed', keyOf: (rule) => String(rule['id']) },
  'earning.double_points': { gone: 'removed', keyOf: ({ from, to }) => `${String(from)} to ${String(to)}` },
};

type Entry = Readonly<Record<string, unknown>>;

function changesAt(path: string, before: unknown, after: unknown): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (Object.hasOwn(lists, path))
    return changesOfList(path, (before ?? []) as Entry[], (after ?? []) as Entry[]);
  if (isEntry(after) && (before === undefined || isEntry(before))) {
    const keys = new Set([...Object.keys(after), ...Object.keys(before ?? {})]);
    return [...keys].flatMap((key) =>
      changesAt(path === '' ? key : `${path}.${key}`, before?.[key], after[key]),
    );
  }
  if (before !== undefined) return [`${path}: ${shown(before)} → ${shown(after)}`];
  return shown(after) === NOTHING ? [] : [`${path}: ${shown(after)}`];
}

function changesOfList(path: string, before: readonly Entry[], after: readonly Entry[]): string[] {
  const { gone = '', keyOf = String } = lists[path] ?? {};
  const was = new Map(before.map((entry, index) => [keyOf(entry, index), entry]));
  const is = new Map(after.map((entry, index) => [keyOf(entry, index), entry]));
  const stayed = [...was.keys()].filter((key) => is.has(key));
  const inOrder = isDeepStrictEqual(
    stayed,
    [...is.keys()].filter((key) => was.has(key)),
  );

  const changes = [...is].flatMap(([key, entry]) => {
    const old = was.get(key);
    return old ? changesAt(`${path}.${key}`, old, entry) : [`${path}.${key}: added`];
  });
  const left = [...was.keys()].filter((key) => !is.has(key)).map((key) => `${path}.${key}: ${gone}`);
  return [...changes, ...left, ...(inOrder ? [] : [`${path}: in another order`])];
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const NOTHING = 'none';

/** Returns one line, short enough for a terminal: `none`, a number, a text, or `points 50` for a map. */
function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return NOTHING;
  if (Array.isArray(value)) return value.length === 0 ? NOTHING : shorten(value.map(shown).join('; '));
  if (!isEntry(value)) return shorten(`${value as string | number | boolean}`.replace(/\s+/g, ' '));
  const said = Object.entries(value).filter(([, item]) => shown(item) !== NOTHING);
  return shorten(said.map(([key, item]) => `${key} ${shown(item)}`).join(', '));
}

function shorten(text: string): string {
  if (text.length <= LONGEST_SHOWN) return text;
  const cut = text.slice(0, LONGEST_SHOWN);
  // Half of a pair of surrogates cannot be stored.
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}
