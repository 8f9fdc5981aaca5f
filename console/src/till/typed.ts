/** A text that somebody types or scans into the one field of the till. */
export type Typed =
  | { readonly kind: 'member' | 'voucher' | 'movement' | 'digits'; readonly text: string }
  | { readonly kind: 'email' | 'name' | 'nothing'; readonly text: string };

/**
 * Tells what a text can stand for, as the service reads it: 9 digits are a member, 14 a voucher, 15 or 16 a movement, an @
 * makes an e-mail address and letters a name. Spaces and dashes between digits do not count.
 */
export function readTyped(typed: string): Typed {
  const text = typed.trim();
  const digits = text.replaceAll(/[\s\p{Pd}]/gu, '');
  if (/^\d+$/.test(digits)) return { kind: KINDS[digits.length] ?? 'digits', text: digits };
  if (text.includes('@')) return { kind: 'email', text };
  return { kind: text.length > 1 ? 'name' : 'nothing', text };
}

const KINDS: Readonly<Record<number, 'member' | 'voucher' | 'movement'>> = {
  9: 'member',
  14: 'voucher',
  15: 'movement',
  16: 'movement',
};

/** True if it is worth asking the service while somebody is still typing. */
export function isWorthAsking({ kind, text }: Typed): boolean {
  if (kind === 'email') return /^[^@\s]+@[^@\s]+\.[^@\s]{2,}$/.test(text);
  return kind !== 'digits' && kind !== 'nothing';
}

/**
 * Returns the code of a card or a benefit that a scanner types, also with what some scanners put around it: a letter or two,
 * the three signs that name the kind of a bar code, spaces, control characters.
 */
export function scannedCode(typed: string): string | null {
  const text = typed.replaceAll(/[\s\p{Cc}]|(?<=\d)\p{Pd}(?=\d)/gu, '');
  const [, code = null] =
    /^(?:\]?[A-Za-z]\d)?([1-9]\d{8}|[1-9]\d{13})[^\d@]{0,2}$/.exec(text) ??
    /^[^\d@\p{Pd}]{0,2}([1-9]\d{8}|[1-9]\d{13})[^\d@]{0,2}$/u.exec(text) ??
    [];
  return code;
}

/**
 * Returns the part of a text that somebody typed or pasted among the digits of an amount, if it means a person: a name or an
 * address. The sign of the currency beside an amount means none.
 */
export function soughtAmong(text: string, before: string, currency: string): string | null {
  let from = 0;
  while (from < before.length && text[from] === before[from]) from++;
  let left = before.length - from;
  while (left > 0 && text.at(-left) !== before.at(-left)) left--;
  const added = text.slice(from, text.length - left).trim();
  if (!/[\p{L}@]/u.test(added)) return null;
  const isMoney = /\d/.test(added) && !/[\p{L}@]/u.test(added.replace(signsOf(currency), ''));
  return isMoney ? null : added;
}

/** `EUR`, `R$`, `kr`: what stands beside amounts of a currency. */
function signsOf(currency: string): RegExp {
  const narrow = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    .formatToParts(1)
    .find(({ type }) => type === 'currency')!.value;
  const signs = [currency, narrow].map((sign) => sign.replaceAll(/\W/gu, String.raw`\$&`));
  return new RegExp(`(?<!\\p{L})(?:${signs.join('|')})(?!\\p{L})`, 'iu');
}
