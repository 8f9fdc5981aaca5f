import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { createTarDecoder } from 'modern-tar';
import { countRows } from '#db/copy/count-rows.ts';
import type { Rows, Table } from '#db/copy/tables.ts';
import { Refusal } from '#base/refusal.ts';
import { toWebStream } from './web-stream.ts';
import {
  CHECKSUM,
  END_BYTES,
  FORMAT,
  HEAD,
  MANIFEST,
  packEnd,
  tableOfPart,
  type Head,
  type Manifest,
} from './format.ts';

/** Some bytes are missing or are not those that were written. */
export class Damaged extends Refusal {
  constructor(cause: unknown) {
    // Messages of libraries end with a full stop or without one.
    const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
    super(`The backup is cut off or damaged: ${reason}.`, { cause });
  }
}

/** A backup that is being read. Its content is sure only after `confirm`. */
export interface OpenBackup extends Rows {
  readonly head: Head;
  confirm(): Promise<void>;
  /** Reads what is left without using it, and confirms it. */
  checkAll(onPart: (table: string) => void): Promise<Manifest>;
}

/**
 * Opens the bytes of a backup and reads them once, in order. Every byte counts: `confirm` refuses a backup in which one is
 * missing, added or changed.
 * @throws Damaged
 */
export async function openBackup(bytes: AsyncIterable<Uint8Array>): Promise<OpenBackup> {
  const rows: Record<string, number> = {};
  const summed = sumBytes(bytes);
  const files = readFiles(summed.bytes);
  let ahead: TarFile | null = null;
  let manifest: Manifest | null = null;

  const head = await readHead();
  for (const { name } of head.tables) rows[name] = 0;
  return {
    head,
    migrations: head.migrations,
    guards: head.guards,
    tables: head.tables.map((table) => ({ ...table, aboutRows: 0 })),
    read: readTable,
    async readCounters() {
      return (await readManifest()).counters;
    },
    async confirm() {
      await readManifest();
    },
    async checkAll(onPart) {
      for (const table of head.tables)
        for await (const _ of readTable({ ...table, aboutRows: 0 })) onPart(table.name);
      return readManifest();
    },
  };

  async function next(): Promise<TarFile | null> {
    const file = ahead ?? (await files.next()).value ?? null;
    ahead = null;
    return file;
  }

  async function readHead(): Promise<Head> {
    const file = await next();
    if (file?.name !== HEAD) throw new NoBackup();
    const found = readJson(file) as Head;
    if (found.format !== FORMAT)
      throw new Refusal(
        `The backup has format ${String(found.format)}, which this program does not know. Use a newer version of it.`,
      );
    return found;
  }

  async function* readTable({ name }: Table): AsyncGenerator<Buffer> {
    for (let file = await next(); file !== null; file = await next()) {
      if (tableOfPart(file.name) !== name) {
        ahead = file;
        return;
      }
      const part = await decompress(file);
      rows[name]! += countRows(part);
      yield part;
    }
  }

  async function readManifest(): Promise<Manifest> {
    if (manifest !== null) return manifest;
    const file = await next();
    if (file === null) throw new Damaged('its end is missing');
    if (file.name !== MANIFEST) throw new Damaged(`${file.name} is not where it belongs`);
    if ((await next())?.name !== CHECKSUM) throw new Damaged('its end is missing');
    if ((await next()) !== null) throw new Damaged('it goes on after its end');
    const { sum, end } = summed.finish();
    if (!end.equals(await packEnd(sum, new Date(head.taken_at))))
      throw new Damaged('its checksum is another one');
    const found = readJson(file) as Manifest;
    for (const [table, count] of Object.entries(rows))
      if (found.rows[table] !== count)
        throw new Damaged(`${table} has ${count} rows of ${found.rows[table]}`);
    manifest = found;
    return found;
  }
}

class NoBackup extends Refusal {
  constructor() {
    super('This is not a backup of this program.');
  }
}

interface TarFile {
  readonly name: string;
  readonly content: Buffer;
}

/** Larger than any part, compressed or not. A damaged or forged one must not fill the memory. */
const LONGEST_FILE = 64 * 1024 * 1024;

async function* readFiles(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  let isBackup = false;
  try {
    const entries = toWebStream(bytes).pipeThrough(createTarDecoder({ strict: true }));
    for await (const { header, body } of entries) {
      isBackup = true;
      if (header.size > LONGEST_FILE) throw new Damaged(`${header.name} is too long`);
      yield { name: header.name, content: await buffer(body) };
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw isBackup ? new Damaged(error) : new NoBackup();
  }
}

/** Sums up all bytes but the last ones, which hold the sum. */
function sumBytes(bytes: AsyncIterable<Uint8Array>) {
  const sum = createHash('sha256');
  let end = Buffer.alloc(0);
  const passed = async function* () {
    for await (const chunk of bytes) {
      const last = Buffer.concat([end, chunk]);
      const before = Math.max(0, last.length - END_BYTES);
      sum.update(last.subarray(0, before));
      end = last.subarray(before);
      yield chunk;
    }
  };
  return { bytes: passed(), finish: () => ({ sum: sum.digest('hex'), end }) };
}

async function decompress({ name, content }: TarFile): Promise<Buffer> {
  try {
    return await promisify(zstdDecompress)(content, { maxOutputLength: LONGEST_FILE });
  } catch (error) {
    throw new Damaged(`${name}: ${(error as Error).message}`);
  }
}

function readJson({ name, content }: TarFile): unknown {
  try {
    return JSON.parse(content.toString());
  } catch {
    throw new Damaged(`${name} cannot be read`);
  }
}
