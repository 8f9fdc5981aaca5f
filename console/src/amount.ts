import type { Format } from './format.ts';

/**
 * The amount as it is typed: its digits, and a point for each decimal sign. A second sign stays where it was typed, so
 * that the cashier sees it, and no amount is read out of it.
 */
export type Raw = string;

/** An amount: its whole units, and its cents. */
export interface Paid {
  readonly units: number;
  /** In the smallest unit of the currency. */
  readonly cents: number;
}

/** Why a text is no amount yet. `fraction`: more decimals than the currency has. */
type Unread = 'empty' | 'unclear' | 'fraction' | 'zero' | 'huge';

/** Why a text is no purchase yet. `less`: under one whole unit. */
export type NoAmount = Unread | 'less';

const MOST_SIGNS = 24;
const MOST_DIGITS = 15;

/** Returns what was paid for a purchase, or why that cannot be said yet. */
export function amountOf(raw: Raw, decimals: number): Paid | NoAmount {
  const read = readAmount(raw, decimals);
  return typeof read === 'object' && read.units === 0 ? 'less' : read;
}

/** Returns an amount, or why it cannot be read yet. `17.00` is 17 in every currency, `17.000` is nothing. */
export function readAmount(raw: Raw, decimals: number): Paid | Unread {
  const [units = '', fraction = '', ...others] = raw.split('.');
  if (/^\.*$/.test(raw)) return 'empty';
  if (others.length > 0) return 'unclear';
  if (fraction.length > Math.max(decimals, 2) || /[1-9]/.test(fraction.slice(decimals))) return 'fraction';
  if (units.length > MOST_DIGITS) return 'huge';
  const cents = Number(fraction.slice(0, decimals).padEnd(decimals, '0'));
  return Number(units) > 0 || cents > 0 ? { units: Number(units), cents } : 'zero';
}

/** Returns the card or code that was scanned or typed into the field of the amount, or null. */
export function codeIn(raw: Raw): string | null {
  return /^(?:[1-9]\d{8}|[1-9]\d{13})$/.test(raw) ? raw : null;
}

/** Returns how many decimals amounts of the currency have. */
export function decimalsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
    .maximumFractionDigits!;
}

/** Returns units and cents as one number, to be written as money. */
export function sumOf({ units, cents }: Paid, currency: string): number {
  return units + cents / 10 ** decimalsOf(currency);
}

/** Writes it with the separators of the locale: `1,750`. */
export function writeAmount(raw: Raw, locale: string): string {
  const [units = '', ...fractions] = raw.split('.');
  const written = units === '' ? '' : new Intl.NumberFormat(locale).format(BigInt(units));
  return [written, ...fractions].join(decimalOf(locale));
}

/** Writes what is typed as money, or as it stands if it is no amount yet. */
export function writeMoney(raw: Raw, { locale, money }: Format, currency: string): string {
  const paid = amountOf(raw, decimalsOf(currency));
  return typeof paid === 'string' ? writeAmount(raw, locale) : money(sumOf(paid, currency));
}

/** A change of the input, as its `InputEvent` describes it. */
export interface Change {
  readonly text: string;
  /** How many characters stand before the caret. */
  readonly caret: number;
  readonly data: string | null | undefined;
  readonly inputType: string | undefined;
}

/** Returns what is typed after a change of the input. */
export function changeAmount(change: Change, locale: string): Raw {
  const { text, caret, data, inputType = '' } = change;
  if (data === '.' || data === ',')
    return limit(`${ownSigns(text.slice(0, caret - 1), locale)}.${ownSigns(text.slice(caret), locale)}`);
  const isTyped = /^\d$/.test(data ?? '') || inputType.startsWith('delete');
  return isTyped ? limit(ownSigns(text, locale)) : readPasted(text);
}

/**
 * Reads an amount that was written elsewhere: `$ 1,750`, `1.750`, `17,50` or `1,750.00`. Where a sign can be read in two
 * ways, all signs count, and `amountOf` then refuses it.
 */
export function readPasted(text: string): Raw {
  const signs = text.replaceAll(/[^\d.,]/g, '');
  if (/^[1-9]\d{0,2}(?:(?:,\d{3})+|(?:\.\d{3})+)$/.test(signs)) return limit(digitsOf(signs));
  const whole = /^(\d+|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}(?:\.\d{3})+)(?:([.,])(\d*))?$/.exec(signs);
  if (whole === null) return limit(signs.replaceAll(',', '.'));
  const [, units = '', sign, fraction = ''] = whole;
  if (sign === undefined) return limit(digitsOf(units));
  // The same sign between thousands and before the decimals, as in `1.750.00`.
  if (units.includes(sign)) return limit(signs.replaceAll(',', '.'));
  return limit(`${digitsOf(units)}.${fraction}`);
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

/** Takes out what stands between thousands, and writes a point for what stands before decimals. */
const ownSigns = (text: string, locale: string) => text.split(decimalOf(locale)).map(digitsOf).join('.');

const limit = (raw: Raw) => raw.replace(/^0+(?=\d)/, '').slice(0, MOST_SIGNS);

export function decimalOf(locale: string): string {
  return new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === 'decimal')!.value;
}
