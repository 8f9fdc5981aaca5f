import { isOneLine } from '#text/plain-text.ts';
import { quote } from '#text/quote.ts';
import type { Line } from '#points/line.ts';
import { MOST_CATEGORIES, MOST_LINES, MOST_UNITS } from './lines-wire.ts';

interface Reason {
  readonly reason: string;
}

/**
 * Reads the lines of a purchase in a file: JSON as in a call. Returns them in normalised form, which is part of what recognises the row, so
 * it must never change. Returns the reason if they are no lines or do not add up to the amount.
 */
export function readRowLines(text: string, amount: number): { readonly lines: readonly Line[] } | Reason {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return {
      reason: `lines must be JSON, such as [{"id":"1","product":"loaf","amount":7}], not ${quote(text)}`,
    };
  }
  if (!Array.isArray(said)) return { reason: 'lines must be a list in square brackets' };
  if (said.length > MOST_LINES)
    return { reason: `lines has ${said.length} entries, more than ${MOST_LINES}` };
  const lines: Line[] = [];
  for (const [at, one] of said.entries()) {
    const line = readLine(one as Said | null);
    if (typeof line === 'string') return { reason: `lines: entry ${at + 1} ${line}` };
    lines.push(line);
  }
  if (new Set(lines.map(({ id }) => id)).size < lines.length)
    return { reason: 'lines: each entry needs an id of its own' };
  const sum = lines.reduce((all, line) => all + line.amount, 0);
  if (sum !== amount) return { reason: `lines: the amounts are ${sum} together, and amount is ${amount}` };
  return { lines };
}

type Said = Readonly<Record<string, unknown>>;

/** Returns a line, or what is wrong with it. */
function readLine(said: Said | null): Line | string {
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return 'must be an object';
  const unknown = Object.keys(said).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) return `has ${quote(unknown)}, which is no field of a line`;
  const { id, product = null, categories = null, units = null, amount, discounted = null } = said;
  if (!isWord(id)) return 'needs an id of 1 to 64 characters';
  if (product !== null && !isWord(product)) return 'has a product that is not 1 to 64 characters';
  if (categories !== null && !isWords(categories))
    return `has categories that are not a list of at most ${MOST_CATEGORIES} names of 1 to 64 characters`;
  if (units !== null && !isWhole(units, 1, MOST_UNITS))
    return `has units that are not a whole number from 1 to ${MOST_UNITS}`;
  if (!isWhole(amount, 0, Number.MAX_SAFE_INTEGER))
    return 'needs an amount in whole currency units, such as 7';
  if (discounted !== null && typeof discounted !== 'boolean')
    return 'has discounted that is not true or false';
  return {
    id,
    ...(product !== null && { product }),
    ...(categories !== null && categories.length > 0 && { categories }),
    ...(units !== null && { units }),
    amount,
    ...(discounted === true && { discounted }),
  };
}

const FIELDS: ReadonlySet<string> = new Set([
  'id',
  'product',
  'categories',
  'units',
  'amount',
  'discounted',
] satisfies (keyof Line)[]);

/** Returns true for a name, as calls take them too. */
export function isWord(value: unknown): value is string {
  return typeof value === 'string' && isOneLine(value, 128) && Array.from(value).length <= 64;
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= MOST_CATEGORIES && value.every(isWord);
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
}
