import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { Refusal } from '#base/refusal.ts';
import { decodeUtf8 } from './decode-utf8.ts';
import { NAMELESS, readHeader, type CsvColumns, type Header } from './read-header.ts';
import { writeCount } from './terminal.ts';

/** A row by column, or the reason why it is invalid. `line` is the row's first line, counted from 1. */
export type CsvLine<Column extends string> = { readonly line: number } & (
  | { readonly fields: Partial<Record<Column, string>> }
  | { readonly reason: string }
);

/** The reason of the last line of a file that could not be read to its end. */
export const NEVER_CLOSED = 'a quotation mark is never closed, so nothing after it was read';

/**
 * Reads a CSV file with a header line, row by row. It must be UTF-8, with or without a byte order mark. It may have any
 * line endings, quoted fields, and commas, semicolons or tabs as separators (in many countries spreadsheets write
 * semicolons). Texts are trimmed. Columns that are left out are reported to `onIgnored`.
 * @param ignore columns that the caller leaves out, by their names in the header
 * @throws Refusal if the header is missing or has a wrong or an unknown column, if there is no row, or if it is not UTF-8
 */
export async function* readCsv<Column extends string>(
  input: Readable,
  columns: CsvColumns<Column>,
  ignore: readonly string[],
  onIgnored: (names: string[]) => void,
): AsyncGenerator<CsvLine<Column>> {
  const { delimiter, text } = await detectDelimiter(input);
  let header: Header<Column> | undefined;
  let lastLine = 0;
  let hasRows = false;
  for await (const row of parseRows(text, delimiter)) {
    if (row === BROKEN) {
      if (header === undefined)
        throw new Refusal('The file is not CSV: its first line must name the columns.');
      yield { line: lastLine + 1, reason: NEVER_CLOSED };
      return;
    }
    const texts = row.record.map(cleanField);
    const line = row.lines - row.record.reduce((sum, field) => sum + countLineBreaks(field), 0);
    lastLine = row.lines;
    if (header === undefined) header = readHeader(texts, columns, ignore, onIgnored);
    else if (!texts.every((text) => text === '')) {
      hasRows = true;
      yield { line, ...readFields(texts, header) };
    }
  }
  if (header === undefined) throw new Refusal('The file is empty: its first line must name the columns.');
  if (!hasRows) throw new Refusal('The file has no rows, only the line that names the columns.');
}

interface Row {
  readonly record: readonly string[];
  /** The number of lines up to the end of the row. */
  readonly lines: number;
}

const BROKEN = Symbol('a quotation mark is never closed');

/** Parses the rows. They are collected as soon as they are found, because a parser that fails drops its last rows. */
async function* parseRows(
  text: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<Row | typeof BROKEN> {
  const rows: Row[] = [];
  const parser = parse({
    ...LENIENT,
    delimiter,
    record_delimiter: '\n',
    on_record: (record: string[], { lines }) => void rows.push({ record, lines }),
  });
  parser.on('error', () => {});
  const put = (chunk: string | null) =>
    new Promise<Error | null | undefined>((resolve) => {
      if (chunk === null) parser.end(resolve);
      else parser.write(chunk, resolve);
    });

  for await (const chunk of text) {
    const error = await put(chunk);
    yield* rows.splice(0);
    if (error) {
      yield BROKEN;
      return;
    }
  }
  const error = await put(null);
  yield* rows.splice(0);
  if (error) yield BROKEN;
}

// The maximum size matters for a quotation mark that is never closed: the rest of the file would become one field.
const LENIENT = {
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  max_record_size: 65_536,
} as const;

/** Finds the delimiter of the header line. Returns it with the whole text. */
async function detectDelimiter(input: Readable): Promise<{ delimiter: string; text: AsyncIterable<string> }> {
  const chunks = normaliseText(input)[Symbol.asyncIterator]();
  let beginning = '';
  let done = false;
  while (!done && !beginning.includes('\n') && beginning.length < LENIENT.max_record_size) {
    const next = await chunks.next();
    done = next.done === true;
    beginning += next.done === true ? '' : next.value;
  }
  const headerLine = beginning.split('\n', 1)[0] ?? '';
  const delimiter = [',', ';', '\t'].find((mark) => headerLine.includes(mark)) ?? ',';
  return {
    delimiter,
    text: (async function* () {
      yield beginning;
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
    })(),
  };
}

/** Ends all lines with \n, because the parser counts \r\n inside quotes twice. */
async function* normaliseText(input: Readable): AsyncGenerator<string> {
  let carried = '';
  for await (const chunk of decodeUtf8(input)) {
    let text: string = carried + chunk;
    carried = text.endsWith('\r') ? '\r' : '';
    if (carried !== '') text = text.slice(0, -1);
    yield text.replace(/\r\n?/g, '\n');
  }
  if (carried !== '') yield '\n';
}

function readFields<Column extends string>(texts: readonly string[], header: Header<Column>) {
  if (texts.length !== header.length) {
    return { reason: `has ${writeCount(texts.length, 'field')}, but the header has ${header.length}` };
  }
  const nameless = header.findIndex((column, i) => column === NAMELESS && texts[i] !== '');
  if (nameless !== -1) return { reason: `has a value in column ${nameless + 1}, which has no name` };
  if (texts.some((text) => text.includes('\ufffd')))
    return { reason: 'has a � in place of a letter that was lost: export the file again as UTF-8' };
  const entries = header.flatMap((column, i) =>
    column === null || column === NAMELESS ? [] : [[column, texts[i]!] as const],
  );
  return { fields: Object.fromEntries(entries) as Partial<Record<Column, string>> };
}

/** Trims a field and removes the apostrophe that exports put before a text that looks like a formula. */
function cleanField(field: string): string {
  const text = field.trim();
  return /^'[=+\-@]/.test(text) ? text.slice(1) : text;
}

function countLineBreaks(field: string): number {
  return field.split('\n').length - 1;
}
