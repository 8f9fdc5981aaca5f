import { link, open, rename, unlink } from 'node:fs/promises';

/** Gives a finished file its name. Unlike a rename, it never replaces another file: that is refused with EEXIST. */
export async function nameFile(unfinished: string, path: string, linkFile = link): Promise<void> {
  try {
    await linkFile(unfinished, path);
    await unlink(unfinished);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    // An empty file takes the name first.
    await (await open(path, 'wx', 0o600)).close();
    await rename(unfinished, path);
  }
}

/** exFAT and some file systems of networks know no links. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
