/** The service and the shop as processes of their own, which can be killed and started again at the same addresses. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../server/src/platform/db/embedded/free-port.ts';
import { SHOP } from './install.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A program that answers at an address. */
export interface Running {
  readonly base: string;
  start(): Promise<void>;
  /** Ends it without a word, as a power cut does. */
  kill(): Promise<void>;
}

export interface ServicePlace {
  databaseUrl: string;
  smtpUrl: string;
}

function serviceEnvironment({ databaseUrl, smtpUrl }: ServicePlace): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    ENV_FILE: 'off',
    DATABASE_URL: databaseUrl,
    SMTP_URL: smtpUrl,
    SECRET_KEY: 'a key of the stories that is long enough for it',
    DEMO: 'off',
    LOG_LEVEL: 'error',
    WEBHOOK_LOOPBACK: 'on',
  };
}

/** Makes the service, without starting it. */
export async function makeService(place: ServicePlace): Promise<Running> {
  const port = String(await findFreePort());
  const base = `http://127.0.0.1:${port}`;
  const isReady = async (child: ChildProcess) => {
    while (isAlive(child) && (await fetch(`${base}/readyz`).catch(() => null))?.ok !== true) await sleep(50);
  };
  return running(base, isReady, () =>
    spawn(process.execPath, ['server/src/start/start.js'], {
      cwd: ROOT,
      env: { ...serviceEnvironment(place), PORT: port },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
}

/** Runs a command of the service's command line, and returns what it prints as JSON. */
export async function loyalty<T>(place: ServicePlace, args: readonly string[]): Promise<T> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['server/src/cli/loyalty.js', ...args, '--json'],
    { cwd: ROOT, env: serviceEnvironment(place) },
  );
  return JSON.parse(stdout) as T;
}

/** Makes the shop, without starting it: a server, and a worker beside it that sends orders too. */
export async function makeShop(env: Readonly<Record<string, string>>): Promise<Running> {
  const port = String(await findFreePort());
  const base = `http://127.0.0.1:${port}`;
  const start = (args: readonly string[]) =>
    spawn(process.execPath, ['shop.js', ...args], {
      cwd: SHOP,
      // TypeORM asks one connection twice at a time, of which `pg` warns.
      env: {
        PATH: process.env['PATH'] ?? '',
        TMPDIR: process.env['TMPDIR'] ?? '/tmp',
        NODE_OPTIONS: '--no-deprecation',
        ...env,
        PORT: port,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const server = running(
    base,
    async (child) => {
      for await (const line of createInterface({ input: child.stdout! }))
        if (line.startsWith('shop ready')) break;
      child.stdout!.resume();
    },
    () => start([]),
  );
  let worker: ChildProcess | null = null;
  return {
    base,
    async start() {
      await server.start();
      worker = start(['--worker']);
      worker.stdout!.resume();
    },
    async kill() {
      await Promise.all([server.kill(), worker === null ? undefined : end(worker)]);
      worker = null;
    },
  };
}

function running(
  base: string,
  untilReady: (child: ChildProcess) => Promise<void>,
  spawned: () => ChildProcess,
): Running {
  let child: ChildProcess | null = null;
  return {
    base,
    async start() {
      child = spawned();
      await untilReady(child);
      if (!isAlive(child)) throw new Error(`${base} did not start`);
    },
    async kill() {
      if (child !== null) await end(child);
      child = null;
    },
  };
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function end(child: ChildProcess): Promise<void> {
  if (!isAlive(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
