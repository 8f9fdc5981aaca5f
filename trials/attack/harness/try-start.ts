import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../../server/src/platform/db/embedded/free-port.ts';
import { bareEnv } from '../../../bench/child.ts';

const SERVICE = new URL('../../../server/src/start/start.js', import.meta.url).pathname;

/** How a start went. */
export interface Start {
  /** False if the service exited by itself. */
  readonly started: boolean;
  /** Its output, or how it looked to a caller. */
  readonly seen: string;
}

/** Starts the service with exactly these variables. If it serves, `look` says what a caller sees. Then stops it. */
export async function tryStart(
  env: Record<string, string>,
  look: (port: number) => Promise<string> = async () => 'it started',
): Promise<Start> {
  const dataDir = await mkdtemp(join(tmpdir(), 'loyalty-attack-'));
  const port = await findFreePort();
  const child = spawn(process.execPath, [SERVICE], {
    env: { ...bareEnv(), DATA_DIR: dataDir, LOG_LEVEL: 'fatal', ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => (printed += String(chunk)));
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  try {
    while (child.exitCode === null && child.signalCode === null) {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
      if (answer?.ok === true) return { started: true, seen: await look(port) };
      await sleep(50);
    }
    await ended;
    return { started: false, seen: `refused: ${printed.split('\n', 1)[0]}` };
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  }
}
