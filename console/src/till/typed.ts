/** What somebody types or scans into the one field of the till. */
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
