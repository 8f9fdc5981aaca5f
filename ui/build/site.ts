/** What both builds of pages do with their files. */
import { existsSync, globSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** What a page is built from, by its path from the folder of its application. */
export const SOURCES = [
  'index.html',
  '{build,vite}.ts',
  'package.json',
  'src/**/*',
  '../sdk/src/**/*',
  '../ui/{build,src}/**/*',
];

/** The gzipped bytes of the files of a folder, by the end of their names. */
export type Sizes = ReadonlyMap<string, number>;

/** Writes each file of the folder twice more, compressed, so the service never compresses one itself. */
export async function compress(
  folder: string,
  isWanted: (name: string) => boolean = () => true,
): Promise<Sizes> {
  const sizes = new Map<string, number>();
  for (const name of (await readdir(folder)).filter(isWanted)) {
    const content = await readFile(join(folder, name));
    const gzipped = gzipSync(content, { level: 9 });
    await writeFile(join(folder, `${name}.gz`), gzipped);
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(content));
    const kind = name.slice(name.lastIndexOf('.') + 1);
    sizes.set(kind, (sizes.get(kind) ?? 0) + gzipped.length);
  }
  return sizes;
}

/** True if the page is newer than all that it is built from. */
export async function isCurrent(application: string, page: string): Promise<boolean> {
  if (!existsSync(page)) return false;
  const builtAt = (await stat(page)).mtimeMs;
  const changes = await Promise.all(
    globSync(SOURCES, { cwd: application }).map(
      async (path) => (await stat(join(application, path))).mtimeMs,
    ),
  );
  return Math.max(...changes) <= builtAt;
}
