/** A durable PostgreSQL that a fault may stop, kill, freeze and start again at the same address. */
import { appendFile, chmod, chown, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, findBinaries } from '../../server/src/platform/db/embedded/binaries.ts';
import { createCluster, readPassword, superuser } from '../../server/src/platform/db/embedded/cluster.ts';
import { writeUrl } from '../../server/src/platform/db/embedded/embedded.ts';
import { findFreePort } from '../../server/src/platform/db/embedded/free-port.ts';
import { chooseUnprivilegedUser, type RunAs } from '../../server/src/platform/db/embedded/place.ts';
import { findPostmaster, startPostmaster } from '../../server/src/platform/db/embedded/postmaster.ts';

export interface OwnPostgres {
  /** The address for the superuser, on the database `postgres`. It stays the same after a start. */
  readonly adminUrl: string;
  readonly port: number;
  /** The folder with `cluster/` and `server.log`. */
  readonly folder: string;
  readonly runAs: RunAs | null;
  /** Starts it and waits until it accepts connections. */
  start(): Promise<void>;
  /** SIGINT stops it fast, SIGQUIT at once and without a checkpoint, SIGKILL kills the postmaster alone. */
  stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** The ids of the postmaster and of all its processes. */
  processes(): Promise<number[]>;
  readLog(): Promise<string>;
  /** Stops it and deletes everything. */
  remove(): Promise<void>;
}

export interface OwnPostgresOptions {
  /** The parent of its folder. By default that of temporary files. */
  readonly parent?: string;
  /** Lines for `postgresql.conf`. What the service's own PostgreSQL gets with its command stays as it is. */
  readonly settings?: readonly string[];
  /** Settings instead of those. */
  readonly overriding?: Readonly<Record<string, string>>;
  /** Other programs than those of npm. */
  readonly binaries?: Binaries;
  /** A running server that the new one follows as a standby. Takes `pg_basebackup`, which npm's programs do not have. */
  readonly standbyOf?: OwnPostgres;
  /** Variables of the server's processes, such as a library that changes their clock. */
  readonly env?: Readonly<Record<string, string>>;
  /** Changes the new cluster before its first start. */
  readonly prepare?: (cluster: string, runAs: RunAs | null) => Promise<void>;
}

export async function startOwnPostgres({
  parent = tmpdir(),
  settings = [],
  overriding = {},
  binaries: others,
  standbyOf,
  env,
  prepare,
}: OwnPostgresOptions = {}): Promise<OwnPostgres> {
  const base = await mkdtemp(join(parent, 'loyalty-own-'));
  const runAs = process.getuid?.() === 0 ? chooseUnprivilegedUser(null) : null;
  if (runAs) await chmod(base, 0o711);
  const folder = join(base, 'postgresql');
  const binaries = others ?? (await findBinaries({ runAs, copyTo: base }));
  if (standbyOf === undefined) await createCluster({ folder, binaries, runAs, durable: true });
  else await copyCluster(standbyOf, folder, binaries, runAs);
  await appendFile(join(folder, 'cluster', 'postgresql.conf'), settings.map((line) => `${line}\n`).join(''));
  await prepare?.(join(folder, 'cluster'), runAs);
  const port = await findFreePort();
  const adminUrl = writeUrl(superuser, await readPassword(folder), port, 'postgres');
  const started = env === undefined ? binaries : await wrapServer(base, binaries, env);
  const start = async () => {
    await startPostmaster({ folder, binaries: started, runAs, durable: true, port, settings: overriding });
  };
  const processes = async () => {
    const postmaster = await findPostmaster(folder);
    return postmaster === null ? [] : [postmaster.pid, ...childrenOf(postmaster.pid)];
  };
  const stop = async (signal: NodeJS.Signals) => {
    const postmaster = await findPostmaster(folder);
    if (postmaster === null) return;
    process.kill(postmaster.pid, signal);
    while ((await findPostmaster(folder)) !== null) await sleep(5);
  };
  await start();
  return {
    adminUrl,
    port,
    folder,
    runAs,
    start,
    stop,
    processes,
    readLog: () => readFile(join(folder, 'server.log'), 'utf8'),
    async remove() {
      await stop('SIGQUIT');
      await rm(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** Returns programs whose server starts with these variables. Without them it would start with none of ours. */
async function wrapServer(
  base: string,
  { bin, major }: Binaries,
  env: Readonly<Record<string, string>>,
): Promise<Binaries> {
  const folder = join(base, 'wrapped');
  await mkdir(folder, { mode: 0o755 });
  const variables = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`);
  await writeFile(
    join(folder, 'postgres'),
    `#!/bin/sh\n${variables.join('')}exec '${join(bin, 'postgres')}' "$@"\n`,
    { mode: 0o755 },
  );
  return { bin: folder, major };
}

/** Copies a running server as its standby. */
async function copyCluster(
  { adminUrl, folder: original }: OwnPostgres,
  folder: string,
  { bin }: Binaries,
  runAs: RunAs | null,
): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  if (runAs) await chown(folder, runAs.uid, runAs.gid);
  await cp(join(original, 'password'), join(folder, 'password'));
  execFileSync(
    join(bin, 'pg_basebackup'),
    ['--dbname', adminUrl, '--pgdata', join(folder, 'cluster'), '--write-recovery-conf', '--checkpoint=fast'],
    { cwd: folder, stdio: 'ignore', ...runAs },
  );
}

/** Returns the programs of the newest PostgreSQL of the system that can copy a running server, or null. */
export function findSystemBinaries(): Binaries | null {
  const root = '/usr/lib/postgresql';
  const majors = existsSync(root) ? readdirSync(root).map(Number) : [];
  return (
    majors
      .toSorted((a, b) => b - a)
      .map((major) => ({ bin: join(root, String(major), 'bin'), major }))
      .find(({ bin }) => existsSync(join(bin, 'pg_basebackup')) && existsSync(join(bin, 'initdb'))) ?? null
  );
}

/** Returns the ids of the direct children of a process. */
export function childrenOf(pid: number): number[] {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
    return lines
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([child, parent]) => (parent === pid ? [child!] : []));
  }
  return readdirSync('/proc')
    .map(Number)
    .filter((id) => id > 0 && parentOf(id) === pid);
}

function parentOf(pid: number): number | null {
  try {
    // The name in the second field may contain spaces and brackets.
    const [, rest] = /\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))!;
    return Number(rest!.split(' ')[1]);
  } catch {
    // It has ended.
    return null;
  }
}
