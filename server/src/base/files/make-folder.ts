import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and the parents that are missing. Returns the first one that was made, or undefined if the folder is there already.
 * Node's own `recursive` never returns where the system says ENOENT for a folder in one that exists, as in `/proc`.
 * @throws the system's error, with its code
 */
export function makeFolder(folder: string): string | undefined {
  const missing: string[] = [];
  for (let at = folder; !isFolder(at); at = dirname(at)) missing.unshift(at);
  let first: string | undefined;
  for (const path of missing) if (makeOne(path)) first ??= path;
  return first;
}

/** @throws ENOTDIR for anything else that is there */
function isFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (found.isDirectory()) return true;
  throw Object.assign(new Error(`ENOTDIR: not a directory, '${path}'`), { code: 'ENOTDIR', path });
}

/** Returns false if another process was faster. */
function makeOne(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && isFolder(path)) return false;
    throw error;
  }
}
