/** The service and a Medusa shop as processes of their own, that can be killed and started again at the same address. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ROOT } from '../../server/test/repository.ts';
import { bareEnv } from '../../bench/child.ts';
import { FOLDER, medusaCommand } from './install.ts';

/** A process with an address of its own. */
export interface Server {
  readonly base: string;
  /** Kills it, as a machine that goes out does. */
  kill(): Promise<void>;
  /** Ends it as an operator does. */
  stop(): Promise<void>;
  /** Starts it again and waits until it answers. */
  start(): Promise<void>;
}

interface Program {
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly base: string;
  /** Answers 200 once the program is ready. */
  readonly ready: string;
}

async function makeServer({ args, folder, env, base, ready }: Program): Promise<Server> {
  let child: ChildProcess | null = null;
  const server = {
    base,
    async start() {
      child = spawn(process.execPath, [...args], {
        cwd: folder,
        env: { ...bareEnv(), ...env },
        stdio: ['ignore', process.env['SHOW'] === 'on' ? 'inherit' : 'ignore', 'inherit'],
      });
      for (let tries = 0; tries < 2_400; tries++) {
        if (child.exitCode !== null) throw new Error(`${args.join(' ')} exited with ${child.exitCode}`);
        if ((await fetch(base + ready).catch(() => null))?.ok === true) return;
        await sleep(50);
      }
      throw new Error(`${base}${ready} did not answer within two minutes`);
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
  await server.start();
  return server;

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}

/** Starts the service with a database of its own in a folder. */
export function startLoyalty(dataDir: string, port: number): Promise<Server> {
  return makeServer({
    args: [join(ROOT, 'server/src/start/start.js')],
    folder: ROOT,
    env: {
      DATA_DIR: dataDir,
      DEMO: 'off',
      PORT: String(port),
      LOG_LEVEL: 'warn',
      RATE_LIMITS: 'off',
      WEBHOOK_LOOPBACK: 'on',
    },
    base: `http://127.0.0.1:${port}`,
    ready: '/readyz',
  });
}

/** Runs a command of the service on that database, and returns what it printed. */
export async function loyalty(dataDir: string, ...args: string[]): Promise<string> {
  const command = [join(ROOT, 'server/src/cli/loyalty.js'), ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    cwd: ROOT,
    env: { ...bareEnv(), DATA_DIR: dataDir, WEBHOOK_LOOPBACK: 'on' },
  });
  return stdout;
}

/** Starts the shop. Its tables must be there. */
export function startMedusa(env: Readonly<Record<string, string>>, port: number): Promise<Server> {
  return makeServer({
    args: [medusaCommand(), 'start', '--host', '127.0.0.1', '--port', String(port), '--types', 'false'],
    folder: FOLDER,
    env: { ...env, PORT: String(port) },
    base: `http://127.0.0.1:${port}`,
    ready: '/health',
  });
}

/** Runs a command of Medusa in the shop. */
export async function medusa(env: Readonly<Record<string, string>>, ...args: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [medusaCommand(), ...args], {
    cwd: FOLDER,
    env: { ...bareEnv(), ...env },
    maxBuffer: 64 * 2 ** 20,
  });
}
