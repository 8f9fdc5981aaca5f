import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { createTarDecoder } from 'modern-tar';
import { countRows } from '#db/copy/count-rows.ts';
import type { Rows, Table } from '#db/copy/tables.ts';
import { Refusal } from '../refusal.ts';
import { toWebStream } from './web-stream.ts';
import { FORMAT, HEAD, MANIFEST, tableOfPart, type Head, type Manifest } from './format.ts';

/** Some bytes are missing or are not those that were written. */
export class Damaged extends Refusal {
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The backup is cut off or damaged: ${reason}.`, { cause });
  }
}

/** A backup that is being read. What it says is sure only after `confirm`. */
export interface OpenBackup extends Rows {
  readonly head: Head;
  confirm(): Promise<void>;
  /** Reads what is left without using it, and confirms it. */
  checkAll(onPart: (table: string) => void): Promise<Manifest>;
}

/**
 * Opens the bytes of a backup and reads them once, in order. Every byte counts: `confirm` refuses a backup that ends too early
 * or too late, and one that has another file than its manifest names.
 * @throws Damaged
 */
export async function openBackup(bytes: AsyncIterable<Uint8Array>): Promise<OpenBackup> {
  const seen: { name: string; bytes: number; sha256: string }[] = [];
  const rows: Record<string, number> = {};
  const length = { read: 0, expected: END_BYTES };
  const files = readFiles(bytes, length);
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
    const found = readJson<Head>(file);
    if (found.format !== FORMAT)
      throw new Refusal(
        `The backup has format ${String(found.format)}, which this program does not know. Use a newer version of it.`,
      );
    noteFile(file);
    return found;
  }

  async function* readTable({ name }: Table): AsyncGenerator<Buffer> {
    for (let file = await next(); file !== null; file = await next()) {
      if (tableOfPart(file.name) !== name) {
        ahead = file;
        return;
      }
      noteFile(file);
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
    const found = readJson<Manifest>(file);
    if ((await next()) !== null) throw new Damaged('it goes on after its end');
    if (length.read !== length.expected)
      throw new Damaged(`it has ${length.read} bytes of ${length.expected}`);
    const other = seen.findIndex((one, i) => {
      const listed = found.files[i];
      return one.name !== listed?.name || one.bytes !== listed.bytes || one.sha256 !== listed.sha256;
    });
    if (other !== -1) throw new Damaged(`${seen[other]!.name} is not what the manifest says`);
    if (seen.length !== found.files.length) throw new Damaged('files are missing');
    for (const [table, count] of Object.entries(rows))
      if (found.rows[table] !== count)
        throw new Damaged(`${table} has ${count} rows of ${found.rows[table]}`);
    manifest = found;
    return found;
  }

  function noteFile({ name, content }: TarFile): void {
    seen.push({ name, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') });
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

/** A tar file is made of blocks: one for the name, as many as the content needs, and two empty ones at the end. */
const BLOCK = 512;
const END_BYTES = 2 * BLOCK;
/** Larger than any part. A damaged length must not fill the memory. */
const LONGEST_FILE = 256 * 1024 * 1024;

async function* readFiles(
  bytes: AsyncIterable<Uint8Array>,
  length: { read: number; expected: number },
): AsyncGenerator<TarFile> {
  const counted = async function* () {
    for await (const chunk of bytes) {
      length.read += chunk.length;
      yield chunk;
    }
  };
  try {
    const entries = toWebStream(counted()).pipeThrough(createTarDecoder({ strict: true }));
    for await (const { header, body } of entries) {
      if (header.size > LONGEST_FILE) throw new Damaged(`${header.name} is too long`);
      const content = await buffer(body as unknown as AsyncIterable<Uint8Array>);
      length.expected += BLOCK + Math.ceil(content.length / BLOCK) * BLOCK;
      yield { name: header.name, content };
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw length.read < BLOCK ? new NoBackup() : new Damaged(error);
  }
}

async function decompress({ name, content }: TarFile): Promise<Buffer> {
  try {
    return await promisify(zstdDecompress)(content);
  } catch (error) {
    throw new Damaged(`${name}: ${(error as Error).message}`);
  }
}

function readJson<T>({ name, content }: TarFile): T {
  try {
    return JSON.parse(content.toString()) as T;
  } catch {
    throw new Damaged(`${name} cannot be read`);
  }
}
