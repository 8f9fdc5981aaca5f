/** Starts the service the way people do, by `npm start`, on a data folder of its own and a free port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { runningPostmaster, stopPostmaster } from '#db/embedded/postmaster.ts';
import { ROOT } from '#test/repository.ts';

export interface Started {
  /** `npm`, at the head of a process group that has the service in it. */
  readonly npm: ChildProcess;
  readonly base: string;
  readonly commerceId: number;
  readonly key: string;
  readonly clientCode: number;
  /** The commands of the start-up block, in their order. */
  readonly commands: string[];
  readonly readyMs: number;
}

/** A folder that PostgreSQL's user can reach, for a data folder that goes when the tests end. */
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

/** The service's PostgreSQL where it runs, null where it does not. */
export function postgresOf(dataDir: string): ReturnType<typeof runningPostmaster> {
  return runningPostmaster(join(dataDir, 'postgresql'));
}

/** Starts it and waits for the start-up block. @throws with what it said, where it ends instead */
export async function npmStart(dataDir: string): Promise<Started> {
  const start = performance.now();
  const npm = spawn('npm', ['--silent', 'start'], {
    cwd: ROOT,
    env: environment(dataDir),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const complaints = text(npm.stderr);
  const lines: string[] = [];
  // The block ends with the second command and an empty line.
  let empty = false;
  for await (const line of createInterface({ input: npm.stdout })) {
    lines.push(line);
    const hasBoth = lines.filter((said) => said.startsWith('  curl ')).length === 2;
    if (hasBoth && line === '') {
      empty = true;
      break;
    }
  }
  if (!empty) throw new Error(`it did not start:\n${lines.join('\n')}\n${await complaints}`);
  npm.stdout.resume();
  return { npm, ...readBlock(lines.join('\n')), readyMs: performance.now() - start };
}

/** Runs it to its end, for a start that is refused. */
export async function npmStartRefused(dataDir: string): Promise<{ code: number | null; stderr: string }> {
  const npm = spawn('npm', ['--silent', 'start'], {
    cwd: ROOT,
    env: environment(dataDir),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([text(npm.stderr), once(npm, 'exit')]);
  return { code: code as number | null, stderr };
}

/** Sends a signal to npm alone, or as a terminal does to everything that it started. Gives the exit code. */
export async function end(
  { npm }: Started,
  signal: NodeJS.Signals,
  to: 'npm' | 'all' = 'all',
): Promise<number | null> {
  // Not 'exit': npm may be gone before the service, which holds its end of the pipes until it has stopped everything.
  const ended = once(npm, 'close');
  process.kill(to === 'all' ? -npm.pid! : npm.pid!, signal);
  const [code] = (await ended) as [number | null];
  return code;
}

/** What the block says, taken from its text as a reader takes it. */
function readBlock(block: string): Omit<Started, 'npm' | 'readyMs'> {
  const said = (pattern: RegExp) => pattern.exec(block)?.[1] ?? `no ${pattern}`;
  return {
    base: said(/ready at (\S+)/),
    commerceId: Number(said(/X-Commerce-Id (\d+)/)),
    key: said(/API key +(\S+)/),
    clientCode: Number(said(/"client_code": (\d+)/)),
    commands: block
      .split(/^ {2}(?=curl )/m)
      .slice(1)
      .map((command) => command.split('\n\n')[0]!.trim()),
  };
}

/** Nothing of what this machine or the test run has set. */
function environment(dataDir: string): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return {
    PATH,
    HOME,
    ...(TMPDIR !== undefined && { TMPDIR }),
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'warn',
  };
}
