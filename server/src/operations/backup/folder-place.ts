import { createReadStream } from 'node:fs';
import { open, readdir, rm, stat, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { tellTrouble } from '#files/tell-trouble.ts';
import { Refusal } from '#base/refusal.ts';
import { nameFile } from './name-file.ts';
import type { Kept, Place } from './place.ts';

/** Backups in a folder. A backup gets its name only when all of it is on the disk. */
export function folderPlace(path: string): Place {
  const folder = resolve(path);
  const at = (name: string) => join(folder, name);
  return {
    describe: at,
    async write(name, bytes) {
      await refuseMissing(folder);
      await removeAbandoned(folder);
      const unfinished = at(`${name}${UNFINISHED}`);
      const file = await open(unfinished, 'wx', 0o600).catch(refuse);
      try {
        for await (const chunk of bytes) await writeAll(file, chunk).catch(refuse);
        await file.sync().catch(refuse);
        await nameFile(unfinished, at(name)).catch(refuse);
      } finally {
        await file.close().catch(() => {});
        await rm(unfinished, { force: true });
      }
      await syncFolder(folder);
    },
    async read(name) {
      const { size } = await stat(at(name)).catch(refuse);
      return { bytes: readFile(at(name)), length: size };
    },
    async list() {
      await refuseMissing(folder);
      const names = (await readdir(folder).catch(refuse)).filter((name) => /\.tar(\.age)?$/.test(name));
      return Promise.all(
        names.map(async (name): Promise<Kept> => ({ name, length: (await stat(at(name))).size })),
      );
    },
    async remove(name) {
      await unlink(at(name)).catch(refuse);
    },
  };
}

const UNFINISHED = '.unfinished';
const DAY_MS = 24 * 60 * 60 * 1000;

/** A backup that was killed leaves its file. One that was written to within a day may still be going on. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(refuse)) {
    if (!/\.tar(\.age)?\.unfinished$/.test(name)) continue;
    const { mtimeMs } = await stat(join(folder, name));
    if (Date.now() - mtimeMs > DAY_MS) await rm(join(folder, name), { force: true });
  }
}

async function refuseMissing(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() === true) return;
  throw new Refusal(`There is no folder ${folder}. Create it, or mount the disk that holds it.`);
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  for (let done = 0; done < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, done);
    done += bytesWritten;
  }
}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
  } catch (error) {
    refuse(error as Error);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync();
  await handle.close();
}

function refuse(error: NodeJS.ErrnoException): never {
  const { code, path = '' } = error;
  const sentence =
    code === 'ENOENT'
      ? `There is no ${path}.`
      : code === 'EEXIST'
        ? `There is a backup of this name already: ${path}.`
        : code === 'ENOSPC'
          ? 'The disk of the backups is full. Nothing was kept.'
          : `${path === '' ? 'The folder of the backups' : path} cannot be used: ${tellTrouble(error)}.`;
  throw new Refusal(sentence, { cause: error });
}
