import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { Refusal } from './refusal.ts';

/** The columns that a file may have, by the name in its header line. */
export interface CsvColumns<Column extends string> {
  readonly required: readonly Column[];
  readonly optional: readonly Column[];
  /** Other names that a header may use. */
  readonly aliases?: Readonly<Record<string, Column>>;
}

/** A row by column, or why its line is none. Lines count from 1, and a row stands on the line where it begins. */
export type CsvLine<Column extends string> = { readonly line: number } & (
  | { readonly fields: Partial<Record<Column, string>> }
  | { readonly reason: string }
);

/** The reason of the last line of a file that could not be read to its end. */
export const NEVER_CLOSED = 'a quotation mark is opened and not closed; nothing after it was read';

/**
 * Reads a CSV file with a header line, row by row: UTF-8 with or without a byte order mark, lines ending in any
 * way, fields in quotes, separated by comma, semicolon or tab (spreadsheets of many countries write semicolons).
 * Texts are trimmed. Columns that nobody asked for are left out and reported to `onIgnored`.
 * @throws Refusal where the header is missing or not of this kind of file
 */
export async function* readCsv<Column extends string>(
  input: Readable,
  columns: CsvColumns<Column>,
  onIgnored: (names: string[]) => void,
): AsyncGenerator<CsvLine<Column>> {
  const { delimiter, text } = await beginningOf(input);
  let header: (Column | null)[] | undefined;
  let lastLine = 0;
  for await (const row of recordsOf(text, delimiter)) {
    if (row === BROKEN) {
      if (header === undefined)
        throw new Refusal('The file is not CSV: its first line has to name the columns.');
      yield { line: lastLine + 1, reason: NEVER_CLOSED };
      return;
    }
    const texts = row.record.map(textOf);
    const line = row.lines - row.record.reduce((sum, field) => sum + linesIn(field), 0);
    lastLine = row.lines;
    if (header === undefined) header = headerOf(texts, columns, onIgnored);
    else if (!texts.every((text) => text === '')) yield { line, ...rowOf(texts, header) };
  }
  if (header === undefined) throw new Refusal('The file is empty: its first line has to name the columns.');
}

interface Row {
  readonly record: readonly string[];
  /** Lines up to the end of the row. */
  readonly lines: number;
}

const BROKEN = Symbol('a quotation mark is never closed');

/** A parser that fails forgets the rows that it has not handed out, so they are taken as they are found. */
async function* recordsOf(
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

// A quotation mark that is never closed would take the rest of the file for one field.
const LENIENT = {
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  max_record_size: 65_536,
} as const;

/** The delimiter of the header line, and the whole text. */
async function beginningOf(input: Readable): Promise<{ delimiter: string; text: AsyncIterable<string> }> {
  const chunks = plainText(input)[Symbol.asyncIterator]();
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

/** Without the byte order mark, and with lines that end in \n: the parser counts \r\n inside quotes twice. */
async function* plainText(input: Readable): AsyncGenerator<string> {
  let carried = '';
  let first = true;
  for await (const chunk of input.setEncoding('utf8') as AsyncIterable<string>) {
    let text: string = carried + (first ? chunk.replace(/^\ufeff/, '') : chunk);
    first = false;
    carried = text.endsWith('\r') ? '\r' : '';
    if (carried !== '') text = text.slice(0, -1);
    yield text.replace(/\r\n?/g, '\n');
  }
  if (carried !== '') yield '\n';
}

function headerOf<Column extends string>(
  names: readonly string[],
  { required, optional, aliases = {} }: CsvColumns<Column>,
  onIgnored: (names: string[]) => void,
): (Column | null)[] {
  const known = new Map<string, Column>([...required, ...optional].map((column) => [column, column]));
  for (const [alias, column] of Object.entries<Column>(aliases)) known.set(alias, column);
  const header = names.map((name) => known.get(name.toLowerCase()) ?? null);

  const missing = required.filter((column) => !header.includes(column));
  if (missing.length > 0) {
    throw new Refusal(
      `The file has no column ${missing.join(', ')}: its first line has to name the columns ${[...required, ...optional].join(', ')}; only ${required.join(', ')} must be there.`,
    );
  }
  const twice = header.find((column, i) => column !== null && header.indexOf(column) !== i);
  if (twice !== undefined) throw new Refusal(`The file has the column ${twice} twice.`);
  const ignored = names.filter((_, i) => header[i] === null);
  if (ignored.length > 0) onIgnored(ignored);
  return header;
}

function rowOf<Column extends string>(texts: readonly string[], header: readonly (Column | null)[]) {
  if (texts.length !== header.length) {
    return { reason: `has ${texts.length} fields where the header has ${header.length}` };
  }
  if (texts.some((text) => text.includes('\ufffd')))
    return { reason: 'is not UTF-8: save the file as UTF-8' };
  const entries = header.flatMap((column, i) => (column === null ? [] : [[column, texts[i]!] as const]));
  return { fields: Object.fromEntries(entries) as Partial<Record<Column, string>> };
}

/** Trimmed, and without the apostrophe by which exports keep a spreadsheet from reading a text as a formula. */
function textOf(field: string): string {
  const text = field.trim();
  return /^'[=+\-@]/.test(text) ? text.slice(1) : text;
}

function linesIn(field: string): number {
  return field.split('\n').length - 1;
}
