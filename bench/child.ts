import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { findFreePort } from '../server/src/platform/db/embedded/free-port.ts';
import { memoryOf, secondsOfTree } from './machine.ts';

/** A process that answers HTTP. */
export interface Child {
  readonly port: number;
  readonly pid: number;
  /** From its start to its first answer. */
  readonly readyMs: number;
  /** Processor time used so far by it and its own children, in seconds. */
  processorSeconds(): Promise<number>;
  /** Memory in use, in bytes. */
  memory(): Promise<number>;
  /** Stops it as an operator would. */
  stop(): Promise<void>;
}

/** A Node program that listens on PORT. */
interface Program {
  readonly file: string;
  readonly args?: readonly string[];
  readonly folder?: string;
  /** Answers 200 once the program is ready. */
  readonly path: string;
}

const SERVICE = new URL('../server/src/start/start.js', import.meta.url).pathname;
const THIN = new URL('./thin-service.ts', import.meta.url).pathname;
const HELLO = new URL('./hello.ts', import.meta.url).pathname;

/** Starts the service as an operator would, without rate limits; `env` overrides the defaults. */
export async function startService(env: Record<string, string>): Promise<Child> {
  return startProgram({ file: SERVICE, path: '/readyz' }, { ...UNLIMITED, ...env });
}

const UNLIMITED = { RATE_LIMITS: 'off', LOG_LEVEL: 'warn' };

/** Starts a server that does the least: node:http alone, or the service's own server with all its hooks. */
export async function startHello(kind: 'node' | 'fastify'): Promise<Child> {
  return startProgram({ file: HELLO, path: '/' }, { KIND: kind });
}

/** Starts the limit behind HTTP, on a database that `withLimits` has filled. */
export async function startThinService(databaseUrl: string): Promise<Child> {
  return startProgram({ file: THIN, path: '/' }, { DATABASE_URL: databaseUrl });
}

/** Starts any program as its own process, on the Node that runs this one. */
export async function startProgram(
  { file, args = [], folder = '.', path }: Program,
  env: Record<string, string>,
): Promise<Child> {
  const port = await findFreePort();
  const began = performance.now();
  const child = spawn(process.execPath, [file, ...args], {
    cwd: folder,
    env: { ...bareEnv(), ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  await untilItAnswers(child, `http://127.0.0.1:${port}${path}`);
  return {
    port,
    pid: child.pid!,
    readyMs: performance.now() - began,
    processorSeconds: () => secondsOfTree(child.pid!),
    memory: () => memoryOf(child.pid!),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Nothing else from the shell may change what is measured. */
export function bareEnv(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, ENV_FILE: 'off' };
}

async function untilItAnswers(child: ChildProcess, url: string): Promise<void> {
  for (let tries = 0; tries < 3_000; tries++) {
    if (child.exitCode !== null)
      throw new Error(`a process exited with ${child.exitCode} before it answered`);
    const answer = await fetch(url, { headers: { authorization: 'Bearer hello' } }).catch(() => null);
    if (answer?.ok === true) return;
    await setTimeout(20);
  }
  child.kill('SIGKILL');
  throw new Error(`${url} did not answer within a minute`);
}
