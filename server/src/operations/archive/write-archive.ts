import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { ArchivedTable, ArchiveEnd, ArchiveHeader } from './format.ts';

/** The result of an export. */
export interface Exported {
  readonly rows: Readonly<Record<string, number>>;
  /** Names the content of the archive. An import can insist on it. */
  readonly sha256: string;
}

/** Writes the lines of an archive, compressed. */
export interface ArchiveWriter {
  writeHeader(header: ArchiveHeader): Promise<void>;
  beginTable(table: ArchivedTable): Promise<void>;
  writeRows(lines: readonly string[]): Promise<void>;
  /** Writes the last line and waits until everything is with the target. */
  end(): Promise<Exported>;
}

/** Creates a writer whose bytes go to `target`. A reader may take as long as it wants. */
export function createArchiveWriter(target: Writable): ArchiveWriter {
  const gzip = createGzip({ level: 6 });
  const written = pipeline(gzip, target, { end: target !== process.stdout });
  // A failure is told by the next write.
  written.catch(() => {});
  const hash = createHash('sha256');
  const rows: Record<string, number> = {};
  let table = '';

  async function write(text: string): Promise<void> {
    if (gzip.destroyed) await written;
    if (!gzip.write(text)) await Promise.race([once(gzip, 'drain'), written]);
  }

  async function writeLines(lines: readonly string[]): Promise<void> {
    const text = lines.map((line) => `${line}\n`).join('');
    hash.update(text);
    await write(text);
  }

  return {
    writeHeader: (header) => writeLines([JSON.stringify(header)]),
    async beginTable({ name, columns }) {
      table = name;
      rows[name] = 0;
      await writeLines([JSON.stringify({ table: name, columns })]);
    },
    async writeRows(lines) {
      rows[table]! += lines.length;
      await writeLines(lines);
    },
    async end() {
      const end: ArchiveEnd = { end: rows, sha256: hash.digest('hex') };
      await write(`${JSON.stringify(end)}\n`);
      gzip.end();
      await written;
      return { rows, sha256: end.sha256 };
    },
  };
}
