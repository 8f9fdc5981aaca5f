/**
 * A backup is one tar file, so that it can be opened without this program: `backup.json`, then for each table its rows in
 * COPY's text format, cut into parts that are compressed by themselves, and `manifest.json` at the end.
 */
import type { Counter, Guard } from '#db/copy/tables.ts';

export const FORMAT = 1;
export const HEAD = 'backup.json';
export const MANIFEST = 'manifest.json';

/** What is known when a backup begins. */
export interface Head {
  readonly format: typeof FORMAT;
  /** The version of the program that wrote it. */
  readonly program: string;
  /** The rows are as they were at this instant, by the database's clock. */
  readonly taken_at: string;
  readonly migrations: readonly string[];
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
  readonly guards: readonly Guard[];
}

/** What is known when it ends. A file without it is not a backup. */
export interface Manifest {
  readonly rows: Readonly<Record<string, number>>;
  readonly counters: readonly Counter[];
  /** All files before this one, in order. */
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
}

export function partName(table: string, part: number): string {
  return `tables/${table}/${String(part).padStart(6, '0')}.copy.zst`;
}

/** Returns the table of a part, or undefined for any other file. */
export function tableOfPart(name: string): string | undefined {
  return /^tables\/([a-z0-9_]+)\/[0-9]{6,}\.copy\.zst$/.exec(name)?.[1];
}
