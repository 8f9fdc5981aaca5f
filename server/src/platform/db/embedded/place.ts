/**
 * Decides where the database of a data folder is and which user runs it. An ordinary user runs it in `DATA_DIR`.
 * PostgreSQL refuses to run as root, so for root it is an unprivileged user and a folder that this user can reach.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDataFolder } from '#files/data-folder.ts';
import { makeFolder } from '#files/make-folder.ts';
import { Refusal } from '#base/refusal.ts';
import { DatabaseGone, OnlyForRoot, recallPlace } from './remembered-place.ts';

export interface Place {
  /** The folder with the database and, if one is needed, the copy of PostgreSQL's programs. */
  readonly base: string;
  /** The folder of the database: `cluster/`, `password`, `server.log`. It exists only once it is complete. */
  readonly folder: string;
  /** The user that runs PostgreSQL. Null means the current user. */
  readonly runAs: RunAs | null;
}

export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** Finds the place of the database. An existing one stays where it is and runs as its owner. */
export async function findPlace(dataDir: string): Promise<Place> {
  if (process.getuid?.() !== 0) {
    makeDataFolder(dataDir);
    return (await findExistingPlace(dataDir)) ?? { base: dataDir, folder: folderIn(dataDir), runAs: null };
  }
  await openToOthers(dataDir, makeDataFolder(dataDir));
  const existing = await findExistingPlace(dataDir);
  if (existing !== null) return existing;
  const runAs = chooseUnprivilegedUser(null);
  const elsewhere = await folderElsewhere(dataDir);
  if (await canReach(runAs, dataDir)) return { base: dataDir, folder: folderIn(dataDir), runAs };
  await openToOthers(elsewhere, makeFolder(elsewhere));
  return { base: elsewhere, folder: folderIn(elsewhere), runAs };
}

/**
 * Finds the place of a database that exists, and creates nothing. Returns null if there is none.
 * @throws Refusal if the data folder had one elsewhere that cannot be used from here
 */
export async function findExistingPlace(dataDir: string): Promise<Place | null> {
  const isRoot = process.getuid?.() === 0;
  if ((await stat(dataDir).catch(unlessMissing)) === null) return null;
  const remembered = await recallPlace(dataDir);
  const elsewhere = isRoot ? [remembered ?? (await folderElsewhere(dataDir))] : [];
  for (const base of [dataDir, ...elsewhere]) {
    const owner = await stat(folderIn(base)).catch(unlessMissing);
    if (owner === null) continue;
    const runAs = isRoot ? chooseUnprivilegedUser({ uid: owner.uid, gid: owner.gid }) : null;
    return { base, folder: folderIn(base), runAs };
  }
  if (remembered !== null)
    throw isRoot ? new DatabaseGone(dataDir, remembered) : new OnlyForRoot(dataDir, remembered);
  return null;
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

/** Returns the folder for root if PostgreSQL's user cannot reach the data folder. */
async function folderElsewhere(dataDir: string): Promise<string> {
  return join('/var/lib/loyalty', await shortHash(dataDir));
}

/** Returns the owner of a database unless that is root, else the user `postgres` or `nobody`. */
export function chooseUnprivilegedUser(owner: RunAs | null): RunAs {
  if (owner && owner.uid !== 0) return owner;
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: readId('-u', name), gid: readId('-g', name) };
    } catch {
      // This user does not exist. Try the next one.
    }
  }
  throw new Refusal(
    'PostgreSQL does not run as root, and this machine has no user named postgres or nobody. ' +
      'Start the program as an ordinary user, or set DATABASE_URL.',
  );
}

function folderIn(base: string): string {
  return join(base, 'postgresql');
}

function readId(option: '-u' | '-g', name: string): number {
  return Number(
    execFileSync('id', [option, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
}

/** Lets PostgreSQL's user pass through the folders that were made; nobody can list the last. Those that existed keep their modes. */
async function openToOthers(folder: string, first: string | undefined): Promise<void> {
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made))
    await chmod(made, made === folder ? 0o711 : 0o755);
}

async function shortHash(dataDir: string): Promise<string> {
  return createHash('sha256')
    .update(await realpath(dataDir))
    .digest('hex')
    .slice(0, 12);
}

/** Returns true if the user may run a file, or enter a folder, and may pass through all its parents. */
export async function canReach(user: RunAs, folder: string): Promise<boolean> {
  for (let at = await realpath(folder); ; at = dirname(at)) {
    const { mode, uid, gid } = await stat(at);
    const passable = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & passable) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
