/**
 * Creates a new, empty PostgreSQL cluster with its own password. It is created under a temporary name, synced and
 * renamed, so a kill at any moment leaves either no cluster or a complete one.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Refusal } from '#base/refusal.ts';
import { isAlive } from './alive.ts';
import { type Binaries, NoBinaries } from './binaries.ts';
import { serverEnvironment } from './postmaster.ts';
import type { RunAs } from './place.ts';

/** The name of the cluster's superuser. */
export const superuser = 'postgres';

/** Creates a cluster in `folder`, which must not exist. Returns false if another process was faster. */
export async function createCluster(options: {
  folder: string;
  binaries: Binaries;
  runAs: RunAs | null;
  durable: boolean;
  onSpawn?: (() => void) | undefined;
}): Promise<boolean> {
  const { folder, binaries, runAs, durable, onSpawn } = options;
  await removeUnfinished(folder);
  const unfinished = `${folder}.new-${process.pid}`;
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(join(unfinished, 'password'), randomBytes(24).toString('base64url'), {
    mode: 0o600,
    flush: true,
  });
  if (runAs) {
    await chown(join(unfinished, 'password'), runAs.uid, runAs.gid);
    await chown(unfinished, runAs.uid, runAs.gid);
  }
  const initialising = initdb(unfinished, binaries, runAs, durable);
  onSpawn?.();
  await initialising;
  try {
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return false;
  }
  if (durable) await syncFolder(dirname(folder));
  return true;
}

/** Reads the password of a cluster that `createCluster` has created. */
export async function readPassword(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, 'password'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    throw new Refusal(
      `The database in ${folder} belongs to another user. Run this as that user or as root, or set DATA_DIR.`,
      { cause: error },
    );
  }
}

/** Refuses a cluster of another major version, because these binaries cannot convert its files. */
export async function checkVersion(folder: string, binaries: Binaries): Promise<void> {
  const found = (await readFile(join(folder, 'cluster', 'PG_VERSION'), 'utf8')).trim();
  if (Number(found) === binaries.major) return;
  throw new Refusal(
    `The database in ${folder} was created by PostgreSQL ${found}, and this is PostgreSQL ${binaries.major}, which cannot read its files. ` +
      `Set POSTGRES_BIN to the programs of PostgreSQL ${found}, write a backup with \`loyalty backup\`, and restore it into an empty DATA_DIR without POSTGRES_BIN.`,
  );
}

/** Removes the folders that killed starts have left behind. */
async function removeUnfinished(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.new-`;
  for (const name of await readdir(dirname(folder))) {
    const pid = Number(name.slice(prefix.length));
    if (name.startsWith(prefix) && (pid === process.pid || !isAlive(pid))) {
      // Retries, because two starts may clean up at the same time.
      await rm(join(dirname(folder), name), { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

async function initdb(
  folder: string,
  binaries: Binaries,
  runAs: RunAs | null,
  durable: boolean,
): Promise<void> {
  // The built-in provider sorts the same on every system. Before PostgreSQL 17, the system's C.UTF-8 comes closest.
  const locale =
    binaries.major >= 17
      ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
      : ['--locale=C.UTF-8'];
  const { code, output } = await runProgram(
    join(binaries.bin, 'initdb'),
    [
      '--pgdata',
      join(folder, 'cluster'),
      '--encoding=UTF8',
      ...locale,
      '--data-checksums',
      '--username',
      superuser,
      '--auth=scram-sha-256',
      '--pwfile',
      join(folder, 'password'),
      ...(durable ? [] : ['--no-sync']),
    ],
    folder,
    runAs,
  );
  if (code === 0) return;
  await rm(folder, { recursive: true, force: true });
  throw new Refusal(
    `PostgreSQL could not create a database in ${dirname(folder)}: ${output.trim().slice(-2000)}`,
  );
}

function runProgram(
  program: string,
  args: string[],
  cwd: string,
  runAs: RunAs | null,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: serverEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      ...runAs,
    });
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', (error: NodeJS.ErrnoException) => {
      // The program itself exists, so the system's loader is missing: this system has another C library.
      reject(error.code === 'ENOENT' ? new NoBinaries() : error);
    });
    child.on('close', (code) => resolve({ code, output }));
  });
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync();
  await handle.close();
}
