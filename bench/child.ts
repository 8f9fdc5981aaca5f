import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../server/src/db/embedded/free-port.ts';
import { memoryOf, secondsOf } from './processor.ts';

/** A process that answers HTTP. */
export interface Child {
  readonly port: number;
  /** From its start to its first answer. */
  readonly readyMs: number;
  /** Processor time that it has used, in seconds. */
  processorSeconds(): Promise<number>;
  /** Memory that it holds, in bytes. */
  memory(): Promise<number>;
  /** Ends it as an operator does. */
  stop(): Promise<void>;
}

/** A program of Node that listens on the PORT it is given. */
interface Program {
  readonly file: string;
  readonly args?: readonly string[];
  /** Where it runs. */
  readonly folder?: string;
  /** Answers once it is ready. */
  readonly path: string;
}

const SERVICE = new URL('../server/src/start.js', import.meta.url).pathname;
const HELLO = new URL('./hello.ts', import.meta.url).pathname;

/** The service as it is started anywhere, limits off; what `env` does not say is the default. */
export async function startService(env: Record<string, string>): Promise<Child> {
  return startProgram({ file: SERVICE, path: '/readyz' }, { RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ...env });
}

/** The least that answers: node:http alone, or the service's own server with all its hooks. */
export async function startHello(kind: 'node' | 'fastify'): Promise<Child> {
  return startProgram({ file: HELLO, path: '/' }, { KIND: kind });
}

/** Any program as a process of its own, by the Node that runs this one. */
export async function startProgram(
  { file, args = [], folder = '.', path }: Program,
  env: Record<string, string>,
): Promise<Child> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(process.execPath, [file, ...args], {
    cwd: folder,
    env: { ...inherited(), ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  await answering(child, `http://127.0.0.1:${port}${path}`);
  return {
    port,
    readyMs: performance.now() - began,
    processorSeconds: () => secondsOf(child.pid!),
    memory: () => memoryOf(child.pid!),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  for (let tries = 0; tries < 3_000; tries++) {
    if (child.exitCode !== null) throw new Error(`a process ended with ${child.exitCode} before it answered`);
    const answer = await fetch(url, { headers: { authorization: 'Bearer hello' } }).catch(() => null);
    if (answer?.ok === true) return;
    await setTimeout(20);
  }
  child.kill('SIGKILL');
  throw new Error(`${url} did not answer for a minute`);
}

/** Nothing that a shell happens to set may change what is measured. */
function inherited(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}
