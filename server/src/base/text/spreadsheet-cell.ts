/** Texts in a CSV file. A spreadsheet takes a cell that begins with one of these characters for a formula. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** A phone number in E.164 has a plus and digits only, so nothing can be hidden in it. */
const PHONE = /^\+[1-9]\d{1,14}$/;

/** Returns the text with an apostrophe in front if a spreadsheet would run it. */
export function guardCell(text: string): string {
  return FORMULA.test(text) && !PHONE.test(text) ? `'${text}` : text;
}

/** Returns the text that `guardCell` was given. */
export function unguardCell(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}
