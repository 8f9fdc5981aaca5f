/**
 * Starts, finds and stops the PostgreSQL server of a cluster. A running server is found through PostgreSQL's own
 * `postmaster.pid`, so a process also finds a server that an earlier process has started.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#base/refusal.ts';
import { isAlive } from './alive.ts';
import { findFreePort } from './free-port.ts';
import { type Binaries, NoBinaries } from './binaries.ts';
import type { RunAs } from './place.ts';
import type { WaitTeller } from './wait-teller.ts';

export interface Postmaster {
  readonly pid: number;
  /** The port on 127.0.0.1, or 0 if the server is still starting. */
  readonly port: number;
  readonly ready: boolean;
}

export interface ServerOptions {
  /** The folder with `cluster/`. */
  readonly folder: string;
  readonly binaries: Binaries;
  readonly runAs: RunAs | null;
  /** False only for throwaway databases, which are never synced to the disk. */
  readonly durable: boolean;
  /** By default, a free port. */
  readonly port?: number;
  /** Settings instead of its own, to measure what they change. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called again and again with what the start waits for. */
  readonly tell?: WaitTeller;
  /** Called once the server’s process runs. */
  readonly onSpawn?: (() => void) | undefined;
}

const pollMs = 10;
/** Recovery after a crash reads at most `max_wal_size`. A start that takes longer than this is stuck. */
const startMs = 300_000;
/** A server that ended a moment ago gives its port back by then. Otherwise another program has it. */
const givenPortMs = 5_000;
const fastStopMs = 60_000;

/** Finds the running server of a cluster, no matter who started it. Returns null if there is none. */
export async function findPostmaster(folder: string): Promise<Postmaster | null> {
  const postmaster = await readPidFile(folder);
  return postmaster && (await isPostgres(postmaster.pid, folder)) ? postmaster : null;
}

/**
 * Starts the server and waits until it accepts connections. Returns null if another process was faster: the caller
 * must then use that server. The server has its own process group, so a Ctrl-C in the terminal does not stop it.
 */
export async function startPostmaster(options: ServerOptions): Promise<Postmaster | null> {
  const { folder } = options;
  const began = performance.now();
  const until = began + startMs;
  const { tell = () => {} } = options;
  let port = options.port ?? (await findFreePort());
  let emptySeen = 0;
  await removeStalePidFile(folder);
  for (;;) {
    const logPath = join(folder, `server.log.new-${randomUUID()}`);
    const child = await spawnPostmaster(options, port, logPath);
    options.onSpawn?.();
    const started = await waitUntilReady(folder, child, until, () => tell(() => lastLineOf(logPath)));
    const log = await readFile(logPath, 'utf8');
    await keepLog(folder, logPath, started !== null);
    if (started) return started;
    if (/lock file "postmaster\.pid" already exists/.test(log)) return null;
    const bindFailed = /could not (bind|create any TCP)/.test(log);
    // The server processes of a killed postmaster need a moment to notice that it is gone.
    const orphansAreAlive = /pre-existing shared memory block/.test(log);
    // Another start is creating the file right now, or a power failure interrupted one.
    const pidFileEmpty = /lock file "postmaster\.pid" is empty/.test(log);
    if (pidFileEmpty && ++emptySeen > 20)
      await rm(join(folder, 'cluster', 'postmaster.pid'), { force: true });
    if (performance.now() > until || (!bindFailed && !orphansAreAlive && !pidFileEmpty))
      throw new PostgresStartFailed(log);
    if (bindFailed && options.port !== undefined && performance.now() > began + givenPortMs)
      throw new PortTaken(port);
    if (orphansAreAlive) tell(() => 'the processes of a server that was killed have not ended yet');
    await sleep(bindFailed ? pollMs : 100);
    if (bindFailed && options.port === undefined) port = await findFreePort();
  }
}

/** Stops the server with a fast shutdown: rolls back transactions, closes connections, writes everything to disk. */
export async function stopPostmaster(folder: string, pid: number): Promise<void> {
  sendSignal(pid, 'SIGINT');
  if (await waitUntilGone(folder, pid, fastStopMs)) return;
  // Nothing is lost: all commits are in the write-ahead log, and the next start recovers them.
  sendSignal(pid, 'SIGQUIT');
  await waitUntilGone(folder, pid, fastStopMs);
}

/** Returns PostgreSQL's environment. It gets only PATH from ours: no secrets, no locale, no PG… variables. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

class PostgresStartFailed extends Refusal {
  constructor(log: string) {
    super(`PostgreSQL did not start. The end of its log:\n${log.trim().split('\n').slice(-15).join('\n')}`);
  }
}

/** The address is in use, so the server cannot come back on another port. */
class PortTaken extends Refusal {
  constructor(port: number) {
    super(
      `Another program took port ${port} of 127.0.0.1 while PostgreSQL was down. End that program, or restart the service, which then takes another port.`,
    );
  }
}

/** Returns the newest line that the server has written, without its time. */
async function lastLineOf(logPath: string): Promise<string> {
  const text = await readFile(logPath, 'utf8').catch(() => '');
  const [, said = 'its log is empty'] = /(?:LOG|FATAL): +(.*)$/.exec(text.trim()) ?? [];
  return said;
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

/** Checks the process, because the id in an old file may now belong to another program or another PostgreSQL. */
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

/** Removes the file if its process id now belongs to another program. PostgreSQL itself refuses to start then. */
async function removeStalePidFile(folder: string): Promise<void> {
  const stale = await readPidFile(folder);
  if (stale && isAlive(stale.pid) && !(await isPostgres(stale.pid, folder))) {
    await rm(join(folder, 'cluster', 'postmaster.pid'), { force: true });
  }
}

async function spawnPostmaster(options: ServerOptions, port: number, logPath: string): Promise<ChildProcess> {
  const { folder, binaries, runAs } = options;
  // Each attempt has its own log file, because two processes may try at the same time and each needs its own result.
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

/** Keeps the log of this start and of the one before it. The log of a failed start is in its error. */
async function keepLog(folder: string, logPath: string, isStarted: boolean): Promise<void> {
  if (!isStarted) return rm(logPath, { force: true });
  const path = join(folder, 'server.log');
  await rename(path, `${path}.before`).catch(unlessMissing);
  await rename(logPath, path);
}

function settings({ durable, binaries, settings: others = {} }: ServerOptions, port: number): string[] {
  return [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'password_encryption=scram-sha-256',
    ...(durable
      ? [
          'fsync=on',
          'synchronous_commit=on',
          'full_page_writes=on',
          'shared_buffers=256MB',
          'max_wal_size=2GB',
          // Creating a new WAL file delays every commit by 50 ms. This keeps enough files of a busy hour to reuse them.
          'min_wal_size=512MB',
          'max_connections=200',
          // Logs only the server itself. Failed statements can contain personal data, and the program reports them anyway.
          'log_min_messages=log',
        ]
      : // Several test processes share it, and each may open 70 connections and more.
        [
          'fsync=off',
          'full_page_writes=off',
          'shared_buffers=128MB',
          'max_connections=600',
          'log_min_messages=error',
        ]),
    // JIT compilation pays off in long analyses. Here it only delays the first call of a statement.
    'jit=off',
    // No separate I/O workers: the data is in memory, so they would sit idle.
    ...(binaries.major >= 18 ? ['io_method=sync'] : []),
    'timezone=UTC',
    'log_timezone=UTC',
    'lc_messages=C',
    'log_min_error_statement=panic',
    'log_checkpoints=off',
    // The last one counts.
    ...Object.entries(others).map(([name, value]) => `${name}=${value}`),
  ];
}

/** Waits until the server is ready. Returns null if it exits instead. */
async function waitUntilReady(
  folder: string,
  child: ChildProcess,
  until: number,
  onWait: () => void,
): Promise<Postmaster | null> {
  while (child.exitCode === null && child.signalCode === null) {
    const postmaster = await readPidFile(folder);
    if (postmaster?.pid === child.pid && postmaster?.ready) return postmaster;
    if (performance.now() > until) child.kill('SIGQUIT');
    onWait();
    await sleep(pollMs);
  }
  return null;
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Waits until the server is gone. A zombie stays in the process table, so checking for the id is not enough. */
async function waitUntilGone(folder: string, pid: number, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (await isPostgres(pid, folder)) {
    if (performance.now() > until) return false;
    await sleep(pollMs);
  }
  return true;
}
