import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { countRows } from '#db/copy/count-rows.ts';
import type { Snapshot } from '#db/copy/read-tables.ts';
import type { Table } from '#db/copy/tables.ts';
import { FORMAT, HEAD, MANIFEST, packEnd, packFile, partName, type Head, type Manifest } from './format.ts';

/** The progress reported while a backup is written. */
export interface Writing {
  readonly program: string;
  readonly onProgress: (table: string, rows: number) => void;
}

/**
 * Writes the rows of a snapshot as the bytes of a backup. While one part is compressed on another thread, the rows of the next
 * are read. Memory holds three parts at most.
 */
export async function* writeBackup(
  snapshot: Snapshot,
  { program, onProgress }: Writing,
): AsyncGenerator<Buffer> {
  const { migrations, guards, takenAt } = snapshot;
  const tables = snapshot.tables.map(({ name, columns }) => ({ name, columns }));
  const head: Head = {
    format: FORMAT,
    program,
    taken_at: takenAt.toISOString(),
    migrations,
    tables,
    guards,
  };
  const rows: Record<string, number> = {};
  const sum = createHash('sha256');
  let total = 0;

  const pack = async (name: string, content: Uint8Array) => {
    const packed = await packFile(name, content, takenAt);
    sum.update(packed);
    return packed;
  };
  yield pack(HEAD, toJson(head));
  for (const table of snapshot.tables) {
    rows[table.name] = 0;
    let part = 0;
    for await (const { compressed, count } of compressAhead(readParts(snapshot.read(table)))) {
      rows[table.name]! += count;
      total += count;
      yield pack(partName(table.name, ++part), compressed);
      onProgress(table.name, total);
    }
  }
  yield pack(MANIFEST, toJson({ rows, counters: await snapshot.readCounters() }));
  yield packEnd(sum.digest('hex'), takenAt);
}

/** About how many rows a backup will have, to show progress. */
export function estimateRows(tables: readonly Table[]): number {
  return tables.reduce((sum, { aboutRows }) => sum + aboutRows, 0);
}

/** Compressed on its own, it takes 1 to 2 MB. Larger parts compress no better. */
const PART_BYTES = 8 * 1024 * 1024;

/** Collects chunks of rows into parts. */
async function* readParts(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}

interface Part {
  readonly compressed: Buffer;
  readonly count: number;
}

async function* compressAhead(parts: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  let before: Promise<Part> | null = null;
  for await (const part of parts) {
    const next = compress(part);
    // If the reading fails first, nobody awaits this one.
    next.catch(() => {});
    if (before !== null) yield await before;
    before = next;
  }
  if (before !== null) yield await before;
}

/** Each part carries a checksum, so that damage is found before its rows reach a database. */
const COMPRESSION = {
  params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
};

async function compress(part: Buffer): Promise<Part> {
  return { count: countRows(part), compressed: await promisify(zstdCompress)(part, COMPRESSION) };
}

function toJson(content: Head | Manifest): Buffer {
  return Buffer.from(`${JSON.stringify(content, null, 1)}\n`);
}
