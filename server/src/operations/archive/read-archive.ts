import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Refusal } from '#base/refusal.ts';
import type { CommerceIdKind } from '#batching/wire-ids.ts';
import {
  FORMAT,
  FORMAT_VERSION,
  HIGHEST_ID,
  tablesOfVersion,
  type ArchivedCommerce,
  type ArchivedTable,
  type ArchiveHeader,
} from './format.ts';

/** The file is not an archive, or not as it was exported. Nothing was imported. */
export class ArchiveRefused extends Refusal {
  constructor(reason: string, options?: ErrorOptions) {
    super(`${reason} Nothing was imported.`, options);
  }
}

/** An archive whose header has been read. */
export interface Archive {
  readonly header: ArchiveHeader;
  /**
   * Reads the tables in their order, and the rows of each in lines of JSON. Reaches its end only if the archive is complete and its
   * checksum is right, so whatever was done with the rows must not count before. Returns the checksum.
   * @throws ArchiveRefused
   */
  readRows(): AsyncGenerator<{ readonly table: ArchivedTable; readonly lines: readonly string[] }, string>;
}

/** Opens an archive and reads its header. @throws ArchiveRefused */
export async function openArchive(input: Readable): Promise<Archive> {
  const lines = readLines(input);
  const hash = createHash('sha256');
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new ArchiveRefused(CUT);
    return value;
  };
  const first = await next();
  const { header, tables } = parseHeader(first);
  hash.update(`${first}\n`);
  return { header, readRows };

  async function* readRows(): AsyncGenerator<{ table: ArchivedTable; lines: string[] }, string> {
    const counts: Record<string, number> = {};
    let line = await next();
    for (const table of tables) {
      const expected = JSON.stringify({ table: table.name, columns: table.columns });
      if (line !== expected)
        throw new ArchiveRefused(`The archive has no table ${table.name} where it belongs.`);
      counts[table.name] = 0;
      let batch: string[] = [];
      let size = 0;
      for (;;) {
        hash.update(`${line}\n`);
        line = await next();
        if (isControl(line)) break;
        batch.push(line);
        size += line.length;
        counts[table.name]! += 1;
        if (batch.length < BATCH && size < BATCH_BYTES) continue;
        yield { table, lines: batch };
        batch = [];
        size = 0;
      }
      if (batch.length > 0) yield { table, lines: batch };
    }
    const sha256 = hash.digest('hex');
    if (line !== JSON.stringify({ end: counts, sha256 }))
      throw new ArchiveRefused('The archive was changed after it was exported: its checksum is wrong.');
    if ((await lines.next()).done !== true)
      throw new ArchiveRefused('Something follows the end of the archive.');
    return sha256;
  }
}

const CUT = 'The archive is cut off: its end is missing.';
const BATCH = 1_000;
/** Most rows have some hundred bytes, and a picture has up to 5 MB. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** No column of an archive has these names. */
function isControl(line: string): boolean {
  return line.startsWith('{"table":') || line.startsWith('{"end":');
}

function parseHeader(line: string): { header: ArchiveHeader; tables: readonly ArchivedTable[] } {
  let header: Partial<ArchiveHeader> | null;
  try {
    header = JSON.parse(line) as Partial<ArchiveHeader> | null;
  } catch {
    header = null;
  }
  if (header?.format !== FORMAT) throw new ArchiveRefused(NO_ARCHIVE);
  const tables = tablesOfVersion(header.version);
  if (tables === null)
    throw new ArchiveRefused(
      `The archive has version ${String(header.version)} of the format, and this program reads versions 1 to ${FORMAT_VERSION}.`,
    );
  if (!isWhole(header)) throw new ArchiveRefused('The header of the archive is not whole.');
  return { header, tables };
}

function isWhole(header: Partial<ArchiveHeader>): header is ArchiveHeader {
  const { exported_at: exportedAt, commerce, wire_ids: wireIds } = header;
  return (
    typeof exportedAt === 'string' &&
    Object.entries(COMMERCE).every(
      ([name, type]) => typeof commerce?.[name as keyof ArchivedCommerce] === type,
    ) &&
    Array.isArray(wireIds) &&
    wireIds.every(isWireIds) &&
    WIRE_IDS.every((kind) => wireIds.some((one) => one.kind === kind))
  );
}

/** Anything else would be counted past by the ids on the wire. */
function isWireIds(one: unknown): boolean {
  const { key, plain_to: plainTo } = (one ?? {}) as Partial<ArchiveHeader['wire_ids'][number]>;
  return (
    typeof key === 'string' &&
    /^[0-9a-f]{24}$/.test(key) &&
    typeof plainTo === 'number' &&
    Number.isInteger(plainTo) &&
    plainTo >= 0 &&
    plainTo <= HIGHEST_ID
  );
}

const COMMERCE: Readonly<Record<keyof ArchivedCommerce, 'string' | 'number' | 'boolean'>> = {
  slug: 'string',
  status: 'string',
  sandbox: 'boolean',
  time_zone: 'string',
  clock_offset: 'string',
  program_version: 'number',
  created_at: 'string',
};

/** Without one of them, ids that the shop has stored would stand for others here. */
const WIRE_IDS: readonly CommerceIdKind[] = ['purchase', 'member', 'staff', 'audit', 'key'];

const NO_ARCHIVE = 'This is not an archive of `loyalty commerce export`.';

/** A line is a row, and the largest is a picture of 5 MB. */
const LONGEST_LINE = 16 * 1024 * 1024;

async function* readLines(input: Readable): AsyncGenerator<string, void> {
  const gunzip = createGunzip();
  input.on('error', (error) => gunzip.destroy(error));
  input.pipe(gunzip);
  let parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        parts.push(chunk.subarray(from, at));
        yield Buffer.concat(parts).toString();
        parts = [];
        size = 0;
        from = at + 1;
      }
      parts.push(chunk.subarray(from));
      size += chunk.length - from;
      if (size > LONGEST_LINE) throw new ArchiveRefused('The archive has a line of more than 16 MiB.');
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw new ArchiveRefused(CUT, { cause: error });
    if (code === 'Z_DATA_ERROR') throw new ArchiveRefused(whyNoGzip(gunzip.bytesWritten), { cause: error });
    throw error;
  } finally {
    input.destroy();
    gunzip.destroy();
  }
  if (size > 0) throw new ArchiveRefused(CUT);
}

const NEWLINE = 0x0a;

function whyNoGzip(bytesRead: number): string {
  return bytesRead < 1024 ? NO_ARCHIVE : 'The archive is damaged: it cannot be decompressed.';
}
