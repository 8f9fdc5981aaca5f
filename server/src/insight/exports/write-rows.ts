import { stringify } from 'csv-stringify/sync';
import { guardCell } from '#text/spreadsheet-cell.ts';

/** The formats of an export. */
export const FORMATS = ['csv', 'jsonl'] as const;
export type Format = (typeof FORMATS)[number];

/** One line of an export, by column. The columns are in the order of the fields. */
export type ExportedRow = Readonly<Record<string, string | number | Date | null>>;

/**
 * The byte order mark. Without it, Excel takes the file for one in the code page of its computer and shows María as MarÃ­a. Files for
 * programs do without.
 */
export const SPREADSHEET_MARK = '\ufeff';

/** Returns the first line of a file, which names its columns. JSON Lines has none. */
export function writeHeader(columns: readonly string[], format: Format): string {
  return format === 'csv' ? writeRecords([[...columns]]) : '';
}

/**
 * Writes rows: as CSV by RFC 4180, with texts that no spreadsheet takes for a formula, or as one JSON object for each line.
 * Instants are in ISO 8601.
 */
export function writeRows(rows: readonly ExportedRow[], format: Format): string {
  if (format === 'jsonl') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  return writeRecords(rows.map((row) => Object.values(row).map(cellOf)));
}

function cellOf(value: ExportedRow[string]): string {
  if (value === null) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'number' ? String(value) : guardCell(value);
}

function writeRecords(records: string[][]): string {
  return stringify(records, { record_delimiter: 'windows' });
}
