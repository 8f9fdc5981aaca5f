/**
 * A backup is one tar file, so that it can be opened without this program: `backup.json`, then for each table its rows in
 * COPY's text format, cut into parts that are compressed by themselves, `manifest.json`, and a checksum of all bytes so far.
 */
import { packTar } from 'modern-tar';
import type { Counter, Guard } from '#db/copy/tables.ts';

export const FORMAT = 1;
export const HEAD = 'backup.json';
export const MANIFEST = 'manifest.json';
export const CHECKSUM = 'sha256';

/** The facts known when a backup begins. */
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

/** The facts known when it ends. */
export interface Manifest {
  readonly rows: Readonly<Record<string, number>>;
  readonly counters: readonly Counter[];
}

export function partName(table: string, part: number): string {
  return `tables/${table}/${String(part).padStart(6, '0')}.copy.zst`;
}

/** Returns the table of a part, or undefined for any other file. */
export function tableOfPart(name: string): string | undefined {
  return /^tables\/([a-z0-9_]+)\/[0-9]{6,}\.copy\.zst$/.exec(name)?.[1];
}

/** Returns one file as a tar file has it. The library also ends the tar file, which is left out because more files follow. */
export async function packFile(name: string, content: Uint8Array, at: Date): Promise<Buffer> {
  const header = { name, size: content.length, mtime: at, mode: 0o600 };
  const packed = await packTar([{ header, body: content }]);
  return Buffer.from(packed.buffer, packed.byteOffset, packed.length - END_OF_TAR.length);
}

const END_OF_TAR = Buffer.alloc(1024);

/** Returns the last bytes of a backup: the checksum of all bytes before it, and the end of a tar file. */
export async function packEnd(sum: string, at: Date): Promise<Buffer> {
  return Buffer.concat([await packFile(CHECKSUM, Buffer.from(`${sum}\n`), at), END_OF_TAR]);
}

/** The length of that: a block for the name, one for the checksum and two for the end. */
export const END_BYTES = 2048;
