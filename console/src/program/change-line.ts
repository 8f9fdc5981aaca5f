import type { Program } from '@loyalty/sdk/admin';
import type { Format } from '../format.ts';
import { LISTS } from './differences.ts';
import { isWhole } from './fields.ts';
import { valueAt } from './paths.ts';
import type { ProgramTexts } from './texts.ts';
import { tell, tellPlain } from './value-text.tsx';

/**
 * Says a change of a program as its owner would. Versions keep a change as the line that the command line prints:
 * `benefits.cake.cost: 120 → 140` becomes `Cost in points · Cherry cake: 120 points → 140 points`. A sentence stays as it is.
 */
export function tellChangeLine(line: string, program: Program, t: ProgramTexts, f: Format): string {
  const [, path = '', values = ''] = /^([a-z][\w.\-:]*(?: to [\w.\-:]+)?): (.*)$/s.exec(line) ?? [];
  const { pattern, entry } = placeOf(path, program);
  const label = labelOf(pattern, t.labels);
  if (label === null) return line;
  const name = entry === null ? label : `${label} · ${entry}`;
  if (isOwnText(pattern)) return `${name}: ${t.difference.changed}`;
  const word = WORDS[values];
  if (word !== undefined) return `${name}: ${t.difference[word]}`;
  const said = values.split(' → ').map((value) => tellWritten(pattern, value, program, t, f));
  return `${name}: ${said.join(' → ')}`;
}

const WORDS: Readonly<Record<string, 'added' | 'removed' | 'withdrawn' | 'moved'>> = {
  added: 'added',
  removed: 'removed',
  withdrawn: 'withdrawn',
  'in another order': 'moved',
};

/** Turns the key of a list's entry into `[]` and the entry's name: `benefits.cake.cost` into `benefits[].cost` and `Cherry cake`. */
function placeOf(path: string, program: Program): { pattern: string; entry: string | null } {
  const list = Object.keys(LISTS).find((list) => path.startsWith(`${list}.`));
  if (list === undefined) return { pattern: path, entry: null };
  if (list === 'earning.double_points') return { pattern: `${list}[]`, entry: null };
  const [key = '', ...field] = path.slice(list.length + 1).split('.');
  const entries = (valueAt(program, list) ?? []) as readonly Readonly<Record<string, unknown>>[];
  const found = entries.find(({ id }) => id === key);
  const entry = found === undefined ? key : LISTS[list]!.nameOf(found);
  return { pattern: [`${list}[]`, ...field].join('.'), entry };
}

/** A part of what is told as one thing has the name of the whole. */
function labelOf(pattern: string, labels: Readonly<Record<string, string>>): string | null {
  for (let at = pattern; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const label = labels[at];
    if (label !== undefined) return label;
  }
  return null;
}

/** Long, or an address that says nothing: that it is another one is enough. */
const isOwnText = (pattern: string): boolean =>
  /^mail\.words|^(?:cover|logo)$|\.(?:image|icon_url|description)$/.test(pattern);

function tellWritten(pattern: string, text: string, program: Program, t: ProgramTexts, f: Format): string {
  const value =
    text === 'none' ? null : text === 'true' || text === 'false' ? text === 'true' : numberIn(text);
  if (isWhole(pattern) || value === null) return tellPlain(pattern, value, t, f);
  return tell(pattern, value, program, t, f);
}

const numberIn = (text: string): number | string => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text);
