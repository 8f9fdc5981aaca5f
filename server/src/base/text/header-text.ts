/** The most characters of a sentence in a header. */
const MOST = 400;

/** Returns a sentence that fits into a header: printable ASCII, in one line. */
export function toHeaderText(sentence: string): string {
  return sentence.slice(0, MOST).replaceAll(/[^ -~]/g, '?');
}
