import type { Readable } from 'node:stream';
import { Refusal } from '#base/refusal.ts';

/** A file is no text, or has another encoding than UTF-8. */
export class OtherEncoding extends Refusal {
  /** The fault, as a sentence. */
  readonly fault: string;

  constructor(fault: string, outcome: string) {
    super(`${fault} Save it as “CSV UTF-8” and import it again. ${outcome}`);
    this.fault = fault;
  }
}

/**
 * Decodes a file that must be UTF-8, without its byte order mark. A wrong byte says that the whole file has another
 * encoding, so nothing after it is read.
 * @throws OtherEncoding
 */
export async function* decodeUtf8(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  let first = true;
  for await (const chunk of input as AsyncIterable<Uint8Array>) {
    if (first && isWorkbook(chunk)) throw new OtherEncoding(WORKBOOK, NOTHING);
    if (isUtf16(chunk, first, line)) throw new OtherEncoding('The file is UTF-16, not UTF-8.', NOTHING);
    first &&= chunk.length === 0;
    const text = decode(decoder, chunk);
    if (text === null) throw otherEncodingOn(line + breaksBeforeFault(chunk));
    line += countBreaks(text);
    yield text;
  }
  if (decode(decoder, null) === null) throw otherEncodingOn(line);
}

const NOTHING = 'Nothing was imported.';
const WORKBOOK = 'The file is a workbook of a spreadsheet, such as .xlsx, .xls or .ods, not CSV.';

/** Reads the whole file, so that its last line is known to be UTF-8 before the first one is imported. */
export async function checkEncoding(input: Readable, name: string): Promise<void> {
  try {
    for await (const _ of decodeUtf8(input));
  } catch (error) {
    throw error instanceof OtherEncoding ? new OtherEncoding(`${name}: ${error.fault}`, NOTHING) : error;
  }
}

function otherEncodingOn(line: number): OtherEncoding {
  return new OtherEncoding(
    `Line ${line} is not UTF-8, but perhaps Windows-1252.`,
    'Rows above that line may have been imported, and are not imported twice.',
  );
}

/** True if the file begins as a zip archive does, which newer workbooks are, or as files of older Excel do. */
function isWorkbook(chunk: Uint8Array): boolean {
  return WORKBOOK_MARKS.some((mark) => mark.every((byte, i) => chunk[i] === byte));
}

const WORKBOOK_MARKS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/** True if the text begins with the mark of UTF-16, or if its first line has the zero bytes of UTF-16. */
function isUtf16(chunk: Uint8Array, first: boolean, line: number): boolean {
  if (first && (chunk[0] === 0xff || chunk[0] === 0xfe)) return true;
  if (line > 1) return false;
  const zero = chunk.indexOf(0);
  const lineEnd = chunk.indexOf(0x0a);
  return zero !== -1 && (lineEnd === -1 || zero < lineEnd);
}

function decode(decoder: TextDecoder, chunk: Uint8Array | null): string | null {
  try {
    return chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    return null;
  }
}

/** Returns the number of line breaks before the wrong byte. The chunk may begin inside a character. */
export function breaksBeforeFault(chunk: Uint8Array): number {
  const start = chunk.findIndex((byte) => byte < 0x80 || byte > 0xbf);
  const text = new TextDecoder().decode(chunk.subarray(start));
  return countBreaks(text.slice(0, Math.max(0, text.indexOf('\ufffd'))));
}

function countBreaks(text: string): number {
  return text.split('\n').length - 1;
}
