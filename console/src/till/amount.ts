/**
 * The amount as it is typed. `raw` has only digits, and one point if somebody typed a decimal separator: amounts are whole
 * units, so `17.5` is never read as 175, but refused until it is mended.
 */
export type Raw = string;

const MOST_DIGITS = 15;

/** Returns the amount, or why it is none yet. `17.00` is 17. */
export function amountOf(raw: Raw): number | 'empty' | 'fraction' | 'zero' {
  const [units = '', fraction = ''] = raw.split('.');
  if (raw === '' || raw === '.') return 'empty';
  if (/[1-9]/.test(fraction)) return 'fraction';
  return Number(units) || 'zero';
}

/** Writes it with the separators of the locale: `1,750`. */
export function writeAmount(raw: Raw, locale: string): string {
  const [units = '', fraction] = raw.split('.');
  const written = units === '' ? '' : new Intl.NumberFormat(locale).format(BigInt(units));
  return fraction === undefined ? written : `${written}${decimalOf(locale)}${fraction}`;
}

/** What a change of the input was, as its `InputEvent` tells. */
export interface Change {
  readonly text: string;
  /** How many characters stand before the caret. */
  readonly caret: number;
  readonly data: string | null | undefined;
  readonly inputType: string | undefined;
}

/** Returns what is typed after a change of the input. */
export function changeAmount(before: Raw, change: Change, locale: string): Raw {
  const { text, caret, data, inputType = '' } = change;
  if (data === '.' || data === ',')
    return limit(`${digitsOf(text.slice(0, caret - 1))}.${digitsOf(text.slice(caret))}`);
  if (!/^\d$/.test(data ?? '') && !inputType.startsWith('delete')) return limit(readPasted(text));
  if (!before.includes('.')) return limit(digitsOf(text));
  const [units, ...fraction] = text.split(decimalOf(locale));
  return limit(fraction.length === 0 ? digitsOf(text) : `${digitsOf(units!)}.${digitsOf(fraction.join(''))}`);
}

/** Reads an amount that was written elsewhere: `$ 1,750`, `1.750`, `17,50` or `1,750.00`. */
export function readPasted(text: string): Raw {
  const signs = text.replaceAll(/[^\d.,]/g, '');
  if (/^\d{1,3}(?:(?:,\d{3})+|(?:\.\d{3})+)$/.test(signs)) return digitsOf(signs);
  const at = Math.max(signs.lastIndexOf('.'), signs.lastIndexOf(','));
  if (at === -1) return signs;
  return `${digitsOf(signs.slice(0, at))}.${digitsOf(signs.slice(at))}`;
}

/** How many signs that count stand at the right of the caret; with it the caret stays there when separators change. */
export function signsAfter(text: string, caret: number): number {
  return digitsOf(text.slice(caret)).length;
}

/** Where the caret belongs if so many digits are to stand at its right. */
export function caretBefore(text: string, digits: number): number {
  let at = text.length;
  for (let left = digits; left > 0 && at > 0; at--) if (/\d/.test(text[at - 1]!)) left--;
  return at;
}

const digitsOf = (text: string) => text.replaceAll(/\D/g, '');

function limit(raw: Raw): Raw {
  const [units = '', ...fraction] = raw.split('.');
  const kept = units.replace(/^0+(?=\d)/, '').slice(0, MOST_DIGITS);
  return fraction.length === 0 ? kept : `${kept}.${fraction.join('').slice(0, 3)}`;
}

function decimalOf(locale: string): string {
  return new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === 'decimal')!.value;
}
