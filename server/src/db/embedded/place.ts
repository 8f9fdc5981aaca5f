/**
 * Decides where the database of a data folder lives and as whom it runs. An ordinary user has both in
 * `DATA_DIR`; for root, whom PostgreSQL refuses, it is an unprivileged user and a folder that this user can reach.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface Place {
  /** Holds the database and, where one is needed, the copy of PostgreSQL's programs. */
  readonly base: string;
  /** The database: `cluster/`, `password`, `server.log`. Appears only when it is complete. */
  readonly folder: string;
  /** As whom PostgreSQL runs; null means as ourselves. */
  readonly runAs: RunAs | null;
}

export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** A database that is already there stays where it is and runs as its owner; only a new one has a choice. */
export async function findPlace(dataDir: string): Promise<Place> {
  if (process.getuid?.() !== 0) {
    await mkdir(dataDir, { recursive: true });
    return { base: dataDir, folder: folderIn(dataDir), runAs: null };
  }
  await makeReachable(dataDir);
  const elsewhere = join('/var/lib/loyalty', await shortHash(dataDir));
  for (const base of [dataDir, elsewhere]) {
    const owner = await stat(folderIn(base)).catch(() => null);
    if (owner)
      return { base, folder: folderIn(base), runAs: unprivileged({ uid: owner.uid, gid: owner.gid }) };
  }
  const runAs = unprivileged(null);
  if (await canReach(runAs, dataDir)) return { base: dataDir, folder: folderIn(dataDir), runAs };
  await makeReachable(elsewhere);
  return { base: elsewhere, folder: folderIn(elsewhere), runAs };
}

/** An unprivileged user that exists: `postgres`, else `nobody`. */
export function unprivileged(owner: RunAs | null): RunAs {
  if (owner && owner.uid !== 0) return owner;
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: id('-u', name), gid: id('-g', name) };
    } catch {
      // There is no such user: the next one.
    }
  }
  throw new Error(
    'PostgreSQL does not run as root and this machine has neither a user postgres nor a user nobody: ' +
      'start the program as an ordinary user, or set DATABASE_URL.',
  );
}

function folderIn(base: string): string {
  return join(base, 'postgresql');
}

function id(option: '-u' | '-g', name: string): number {
  return Number(
    execFileSync('id', [option, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
}

/** What is made here is passable for others whatever the umask; what was there keeps its mode. */
async function makeReachable(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await chmod(made, 0o755);
}

async function shortHash(dataDir: string): Promise<string> {
  return createHash('sha256')
    .update(await realpath(dataDir))
    .digest('hex')
    .slice(0, 12);
}

/** Whether the user may pass through the folder, or run the file, and pass through every parent of it. */
export async function canReach(user: RunAs, folder: string): Promise<boolean> {
  for (let at = await realpath(folder); ; at = dirname(at)) {
    const { mode, uid, gid } = await stat(at);
    const passable = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & passable) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
