/** Rules for text that is stored and shown. */

/** Returns false for U+0000, which PostgreSQL refuses, and for half a surrogate pair, which UTF-8 silently replaces. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * A pattern for one line of text that is not blank and has no control characters. A line break in a name would start a
 * new header in a mail. U+2028 and U+2029 are line breaks too.
 */
export const ONE_LINE = '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ufeff\\ufffe\\uffff]*$';

const oneLine = new RegExp(ONE_LINE, 'u');

/** Returns true if the text matches `ONE_LINE` and is not too long. */
export function isOneLine(text: string, maxLength: number): boolean {
  return text.length <= maxLength && text.isWellFormed() && oneLine.test(text);
}

const CONTROL_BUT_LAYOUT = /[^\P{Cc}\t\n]|[\p{Zl}\p{Zp}\ufeff\ufffe\uffff]/u;

/** Returns true for text without control characters. Line breaks and tabs are allowed. */
export function isText(text: string, maxLength: number): boolean {
  return text.length <= maxLength && text.isWellFormed() && !CONTROL_BUT_LAYOUT.test(text);
}
