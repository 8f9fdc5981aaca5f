/** Reads the files of the repository for the tests of documents and architecture. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

const NOT_OURS = new Set(['node_modules', '.git', 'dist', 'data']);

/** Returns the paths of all files with this ending. Installed, built and runtime files are left out. */
export function filesThatEnd(ending: string, folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => !NOT_OURS.has(entry.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesThatEnd(ending, path);
      return entry.isFile() && entry.name.endsWith(ending) ? [relative('', path)] : [];
    });
}

/** Reads a file by its path from the root. */
export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
