/** Starts the service as people do, with `npm start`, on a data folder of its own and a free port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { findPostmaster, stopPostmaster } from '#db/embedded/postmaster.ts';
import { ROOT } from '#test/repository.ts';

export interface Started {
  /** The npm process. It leads a process group that includes the service. */
  readonly npm: ChildProcess;
  readonly base: string;
  readonly commerceId: number;
  readonly key: string;
  readonly clientCode: number;
  /** The address of that member, to sign in with. */
  readonly signInAs: string;
  /** The commands of the start-up block, in order. */
  readonly commands: string[];
  readonly readyMs: number;
}

/** Makes a temporary data folder that PostgreSQL's user can reach. */
export async function makeDataDir(): Promise<string> {
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'loyalty-start-')));
  await chmod(dataDir, 0o755);
  return dataDir;
}

export async function removeDataDir(dataDir: string): Promise<void> {
  const running = await postgresOf(dataDir);
  if (running) await stopPostmaster(join(dataDir, 'postgresql'), running.pid);
  await rm(dataDir, { recursive: true, force: true });
}

/** Finds the PostgreSQL of a data folder. Returns null if it is not running. */
export function postgresOf(dataDir: string): ReturnType<typeof findPostmaster> {
  return findPostmaster(join(dataDir, 'postgresql'));
}

/** Starts the service and waits for the start-up block. @throws with its output if it exits instead */
export async function npmStart(
  dataDir: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const start = performance.now();
  const npm = spawn('npm', ['--silent', 'start'], {
    cwd: ROOT,
    env: { ...environment(dataDir), ...more },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors = text(npm.stderr);
  const lines: string[] = [];
  // The block ends with the second command and an empty line.
  let isReady = false;
  for await (const line of createInterface({ input: npm.stdout })) {
    lines.push(line);
    const hasBoth = lines.filter((printed) => printed.startsWith('  curl ')).length === 2;
    if (hasBoth && line === '') {
      isReady = true;
      break;
    }
  }
  if (!isReady) throw new Error(`the service did not start:\n${lines.join('\n')}\n${await errors}`);
  npm.stdout.resume();
  return { npm, ...readBlock(lines.join('\n')), readyMs: performance.now() - start };
}

/** Runs a start that is expected to fail until the process exits. */
export async function npmStartRefused(dataDir: string): Promise<{ code: number | null; stderr: string }> {
  const npm = spawn('npm', ['--silent', 'start'], {
    cwd: ROOT,
    env: environment(dataDir),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([text(npm.stderr), once(npm, 'exit')]);
  return { code: code as number | null, stderr };
}

/** Sends a signal to npm alone, or to all its processes as a terminal does. Returns the exit code. */
export async function endService(
  { npm }: Started,
  signal: NodeJS.Signals,
  to: 'npm' | 'all' = 'all',
): Promise<number | null> {
  // Not 'exit': npm may exit before the service, which keeps the pipes open until it has stopped everything.
  const ended = once(npm, 'close');
  process.kill(to === 'all' ? -npm.pid! : npm.pid!, signal);
  const [code] = (await ended) as [number | null];
  return code;
}

/** Reads the values from the text of the block. */
function readBlock(block: string): Omit<Started, 'npm' | 'readyMs'> {
  const find = (pattern: RegExp) => pattern.exec(block)?.[1] ?? `no ${pattern}`;
  return {
    base: find(/ready at (\S+)/),
    commerceId: Number(find(/X-Commerce-Id (\d+)/)),
    key: find(/API key +(\S+)/),
    clientCode: Number(find(/"client_code": (\d+)/)),
    signInAs: find(/sign in as +(\S+), /),
    commands: block
      .split(/^ {2}(?=curl )/m)
      .slice(1)
      .map((command) => command.split('\n\n')[0]!.trim()),
  };
}

/** Returns an environment without any settings of this machine or of the test run. */
function environment(dataDir: string): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return {
    PATH,
    HOME,
    ...(TMPDIR !== undefined && { TMPDIR }),
    ENV_FILE: 'off',
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'warn',
  };
}
