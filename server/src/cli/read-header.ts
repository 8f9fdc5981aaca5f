import { nearestName } from '#text/near-name.ts';
import { quote } from '#text/quote.ts';
import { Refusal } from '#base/refusal.ts';

/** The columns that a file may have, by their names in its header line. */
export interface CsvColumns<Column extends string> {
  readonly required: readonly Column[];
  readonly optional: readonly Column[];
  /** All columns of our own export. A file that has them all is one, and those that an import does not read are left out. */
  readonly exported: readonly string[];
  /** Other names that a header may use. Case, blanks, hyphens and underscores make no difference. */
  readonly aliases?: Readonly<Record<string, Column>>;
}

/** A column without a name, as a spreadsheet writes it after its last one. It must be empty in every row. */
export const NAMELESS = Symbol('a column without a name');

/** The column of each field of a row; null is left out. */
export type Header<Column extends string> = readonly (Column | typeof NAMELESS | null)[];

/**
 * Reads the header line. An unknown column is refused unless the caller leaves it out by name: a balance under a mistyped heading
 * would be lost without a word.
 */
export function readHeader<Column extends string>(
  names: readonly string[],
  columns: CsvColumns<Column>,
  ignore: readonly string[],
  onIgnored: (names: string[]) => void,
): Header<Column> {
  const known = namesOf(columns);
  const leftOut = new Set(ignore.map(nameOf));
  const isExport = columns.exported.every((column) => names.includes(column));
  const header = names.map((name) => {
    if (name === '') return NAMELESS;
    return leftOut.has(nameOf(name)) ? null : (known.get(nameOf(name)) ?? null);
  });
  const mayStay = (name: string) =>
    leftOut.has(nameOf(name)) || (isExport && columns.exported.includes(name));
  const unknown = names.filter((name, i) => header[i] === null && !mayStay(name));

  const missing = columns.required.filter((column) => !header.includes(column));
  if (missing.length > 0) throw missesColumns(missing, unknown, columns);
  refuseSame(names, header);
  if (unknown.length > 0) throw isUnknown(unknown, header, columns);
  const ignored = names.filter((_, i) => header[i] === null);
  if (ignored.length > 0) onIgnored(ignored);
  return header;
}

function namesOf<Column extends string>({ required, optional, aliases = {} }: CsvColumns<Column>) {
  const known = new Map<string, Column>();
  for (const column of [...required, ...optional]) known.set(nameOf(column), column);
  for (const [alias, column] of Object.entries<Column>(aliases)) known.set(nameOf(alias), column);
  return known;
}

function missesColumns(
  missing: readonly string[],
  unknown: readonly string[],
  { required, optional }: CsvColumns<string>,
): Refusal {
  const guesses = unknown.flatMap((name) => {
    const meant = nearestName(name, missing) ?? missing.find((column) => abbreviates(name, column));
    return meant === undefined ? [] : [` Did you mean ${meant} by ${quote(name)}?`];
  });
  return new Refusal(
    `The file has no column ${missing.join(', ')}.${guesses.join('')} Its first line must name the columns. Required: ${required.join(', ')}. Optional: ${optional.join(', ')}.`,
  );
}

function refuseSame(names: readonly string[], header: Header<string>): void {
  const second = header.findIndex((column, i) => typeof column === 'string' && header.indexOf(column) !== i);
  const column = header[second];
  if (typeof column !== 'string') return;
  const [one, other] = [names[header.indexOf(column)]!, names[second]!].map(quote);
  throw new Refusal(
    `The columns ${one} and ${other} both mean ${column}. Rename or delete one of them. Nothing was imported.`,
  );
}

function isUnknown<Column extends string>(
  unknown: readonly string[],
  header: Header<Column>,
  columns: CsvColumns<Column>,
): Refusal {
  const known = namesOf(columns);
  const free = [...columns.required, ...columns.optional, ...Object.keys(columns.aliases ?? {})].filter(
    (name) => !header.includes(known.get(nameOf(name))!),
  );
  const shown = unknown.slice(0, MOST_SHOWN).map((name) => {
    const near = nearestName(name, free) ?? free.find((column) => abbreviates(name, column));
    return near === undefined ? quote(name) : `${quote(name)} (did you mean ${known.get(nameOf(near))!}?)`;
  });
  const rest = unknown.length - shown.length;
  const [what, them] = unknown.length === 1 ? ['column', 'it'] : ['columns', 'them'];
  return new Refusal(
    `The file has unknown ${what} ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}. Rename ${them}, or leave ${them} out: ${unknown
      .slice(0, MOST_SHOWN)
      .map((name) => `--ignore ${quote(name)}`)
      .join(' ')}. Nothing was imported.`,
  );
}

const MOST_SHOWN = 10;

/** True if the letters of the name are in the other one in this order, from its first on: `pts` for `points`. */
function abbreviates(name: string, column: string): boolean {
  const letters = nameOf(name);
  if (letters.length < 3 || letters[0] !== column[0]) return false;
  let at = 0;
  for (const letter of column) if (letter === letters[at]) at++;
  return at === letters.length;
}

/** The name of a column without what programs write differently: E-Mail, email and e_mail. */
function nameOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[\s_-]/g, '');
}
