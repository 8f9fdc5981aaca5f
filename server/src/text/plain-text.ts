/** What text has to be to be stored and shown. */

/** Neither U+0000, which PostgreSQL refuses, nor half a surrogate pair, which UTF-8 silently replaces. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * One line that says something, as a schema says it: no control characters, not only blanks. A line break in a name
 * would become a header of a mail; U+2028 and U+2029 break lines too.
 */
export const ONE_LINE = '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ufeff\\ufffe\\uffff]*$';

const oneLine = new RegExp(ONE_LINE, 'u');

/** `ONE_LINE`, no longer than that. */
export function isOneLine(text: string, maxLength: number): boolean {
  return text.length <= maxLength && text.isWellFormed() && oneLine.test(text);
}

const CONTROL_BUT_LAYOUT = /[^\P{Cc}\t\n]|[\p{Zl}\p{Zp}\ufeff\ufffe\uffff]/u;

/** Text that may have lines and tabs, and nothing else that a terminal or a mail would obey. */
export function isText(text: string, maxLength: number): boolean {
  return text.length <= maxLength && text.isWellFormed() && !CONTROL_BUT_LAYOUT.test(text);
}
