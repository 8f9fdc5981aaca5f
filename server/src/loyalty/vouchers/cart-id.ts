import { Type } from 'typebox';

/** The most characters of the shop's own id of a cart or a redemption. */
const MOST_CHARACTERS = 255;

/** Printable ASCII, so that it fits into a path. A path with a dot segment would be another one. */
const FITS_IN_A_PATH = '^(?!\\.{1,2}$)[ -~]*$';

/** Returns true if a shop could have sent this as the id of a cart or a redemption. */
export function isCartId(text: string): boolean {
  return text.length > 0 && text.length <= MOST_CHARACTERS && new RegExp(FITS_IN_A_PATH).test(text);
}

const HINT = 'Use 1 to 255 printable ASCII characters, but not "." or "..". In a path, encode them.';

/** The shop's own id of a cart or a redemption. Those share one space, which is not that of purchases. */
export function CartId(description: string, options: object = {}) {
  return Type.String({
    minLength: 1,
    maxLength: MOST_CHARACTERS,
    pattern: FITS_IN_A_PATH,
    description: `${description} 1 to 255 printable ASCII characters, but not \`.\` or \`..\`.`,
    examples: ['order-2026-000123'],
    'x-hint': HINT,
    ...options,
  });
}
