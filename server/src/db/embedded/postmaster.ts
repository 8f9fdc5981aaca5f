/**
 * Starts, recognises and stops the PostgreSQL server of a cluster. What runs is known from PostgreSQL's own
 * `postmaster.pid`, so that the next process finds a server that outlived the one which started it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../refusal.ts';
import { isAlive } from './alive.ts';
import { freePort } from './free-port.ts';
import { type Binaries, NoBinaries } from './binaries.ts';
import type { RunAs } from './place.ts';

export interface Postmaster {
  readonly pid: number;
  /** On 127.0.0.1; 0 while the server has not got that far. */
  readonly port: number;
  readonly ready: boolean;
}

export interface ServerOptions {
  /** The folder that holds `cluster/`. */
  readonly folder: string;
  readonly binaries: Binaries;
  readonly runAs: RunAs | null;
  /** false only for databases that are thrown away: nothing is synced to the disk. */
  readonly durable: boolean;
  /** A free one is taken where none is given. */
  readonly port?: number;
}

const pollMs = 10;
/** Recovery after a crash reads at most `max_wal_size`; a start that takes longer than this will not end. */
const startMs = 300_000;
const fastStopMs = 60_000;

/** The server that runs on the cluster, whoever started it; null where none does. */
export async function runningPostmaster(folder: string): Promise<Postmaster | null> {
  const postmaster = await readPidFile(folder);
  return postmaster && (await isPostgres(postmaster.pid, folder)) ? postmaster : null;
}

/**
 * Starts the server and gives it when it takes connections; null where another process was faster, whose
 * server is then the one to use. It lives in a process group of its own, out of reach of the terminal's Ctrl-C.
 */
export async function startPostmaster(options: ServerOptions): Promise<Postmaster | null> {
  const { folder } = options;
  const until = performance.now() + startMs;
  let port = options.port ?? (await freePort());
  let emptySeen = 0;
  await removeStalePidFile(folder);
  for (;;) {
    const logPath = join(folder, `server.log.new-${randomUUID()}`);
    const child = await spawnPostmaster(options, port, logPath);
    const started = await readyOrEnded(folder, child, until);
    const log = await readFile(logPath, 'utf8');
    await keepLog(folder, logPath, started !== null);
    if (started) return started;
    if (/lock file "postmaster\.pid" already exists/.test(log)) return null;
    const bindFailed = /could not (bind|create any TCP)/.test(log);
    // The server processes of a killed postmaster need a moment to notice that it is gone.
    const orphansLive = /pre-existing shared memory block/.test(log);
    // Another start is at work this instant, or one was cut off by a loss of power.
    const pidFileEmpty = /lock file "postmaster\.pid" is empty/.test(log);
    if (pidFileEmpty && ++emptySeen > 20)
      await rm(join(folder, 'cluster', 'postmaster.pid'), { force: true });
    if (performance.now() > until || (!bindFailed && !orphansLive && !pidFileEmpty))
      throw new PostgresStartFailed(log);
    await sleep(bindFailed ? pollMs : 100);
    if (bindFailed && options.port === undefined) port = await freePort();
  }
}

/** Ends the server the fast way: transactions are rolled back, connections closed, everything is written. */
export async function stopPostmaster(folder: string, pid: number): Promise<void> {
  send(pid, 'SIGINT');
  if (await isGone(folder, pid, fastStopMs)) return;
  // What was acknowledged is in the log already: the next start recovers it.
  send(pid, 'SIGQUIT');
  await isGone(folder, pid, fastStopMs);
}

/** PostgreSQL gets nothing of our environment but PATH: no secrets, no locale, no PG… variables. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

class PostgresStartFailed extends Refusal {
  constructor(log: string) {
    super(`PostgreSQL did not start. The end of its log:\n${log.trim().split('\n').slice(-15).join('\n')}`);
  }
}

async function readPidFile(folder: string): Promise<Postmaster | null> {
  const text = await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8').catch(unlessMissing);
  if (!text) return null;
  const lines = text.split('\n');
  return { pid: Number(lines[0]), port: Number(lines[3] ?? 0), ready: lines[7]?.trim() === 'ready' };
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** A number from a stale file may belong to another program by now, or to the PostgreSQL of another folder. */
async function isPostgres(pid: number, folder: string): Promise<boolean> {
  if (!(pid > 0) || !isAlive(pid)) return false;
  const cluster = join(folder, 'cluster');
  if (process.platform !== 'linux') {
    const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes('postgres') && command.includes(cluster);
  }
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  const running = await realpath(words[words.indexOf('-D') + 1] ?? '').catch(() => null);
  return basename(words[0] ?? '') === 'postgres' && running === (await realpath(cluster));
}

/** PostgreSQL removes the file of a dead process itself, but gives up where the number lives on as something else. */
async function removeStalePidFile(folder: string): Promise<void> {
  const stale = await readPidFile(folder);
  if (stale && isAlive(stale.pid) && !(await isPostgres(stale.pid, folder))) {
    await rm(join(folder, 'cluster', 'postmaster.pid'), { force: true });
  }
}

async function spawnPostmaster(options: ServerOptions, port: number, logPath: string): Promise<ChildProcess> {
  const { folder, binaries, runAs } = options;
  // A file of this attempt: another process may try at the same moment, and each reads how its own went.
  const log = await open(logPath, 'a', 0o600);
  try {
    if (runAs) await log.chown(runAs.uid, runAs.gid);
    const child = spawn(
      join(binaries.bin, 'postgres'),
      ['-D', join(folder, 'cluster'), ...settings(options, port).flatMap((setting) => ['-c', setting])],
      { cwd: folder, env: serverEnvironment(), detached: true, stdio: ['ignore', log.fd, log.fd], ...runAs },
    );
    await once(child, 'spawn');
    child.unref();
    return child;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new NoBinaries() : error;
  } finally {
    await log.close();
  }
}

/** One log a start; the one before it is kept, those of starts that failed are in their errors. */
async function keepLog(folder: string, logPath: string, isStarted: boolean): Promise<void> {
  if (!isStarted) return rm(logPath, { force: true });
  const path = join(folder, 'server.log');
  await rename(path, `${path}.before`).catch(unlessMissing);
  await rename(logPath, path);
}

function settings({ durable, binaries }: ServerOptions, port: number): string[] {
  return [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'password_encryption=scram-sha-256',
    'max_connections=200',
    ...(durable
      ? [
          'fsync=on',
          'synchronous_commit=on',
          'full_page_writes=on',
          'shared_buffers=256MB',
          'max_wal_size=2GB',
          // To make a new file of its log holds every commit up for 50 ms: those of a busy hour are kept and used again.
          'min_wal_size=512MB',
        ]
      : ['fsync=off', 'shared_buffers=128MB']),
    // Compiling pays for minutes of analysis; here it only delays the first call of a statement.
    'jit=off',
    // No reader processes of its own: the data is in memory, and they would wait there for nothing.
    ...(binaries.major >= 18 ? ['io_method=sync'] : []),
    'timezone=UTC',
    'log_timezone=UTC',
    'lc_messages=C',
    // Life of the server only: failed statements carry what people typed, and are the program's to report.
    'log_min_messages=log',
    'log_min_error_statement=panic',
    'log_checkpoints=off',
  ];
}

async function readyOrEnded(folder: string, child: ChildProcess, until: number): Promise<Postmaster | null> {
  while (child.exitCode === null && child.signalCode === null) {
    const postmaster = await readPidFile(folder);
    if (postmaster?.pid === child.pid && postmaster?.ready) return postmaster;
    if (performance.now() > until) child.kill('SIGQUIT');
    await sleep(pollMs);
  }
  return null;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A server without a parent that reaps it stays in the process table: then it no longer is a postgres. */
async function isGone(folder: string, pid: number, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (await isPostgres(pid, folder)) {
    if (performance.now() > until) return false;
    await sleep(pollMs);
  }
  return true;
}
