/** Runs the service in separate processes, so that tests can kill it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '#db/embedded/free-port.ts';
import { onEnd, serviceSettings } from '#test/database.ts';
import { SECRET } from '#test/harness.ts';

const MAIN = fileURLToPath(new URL('../src/start/start.js', import.meta.url));

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly base: string;
}

/**
 * Starts a service in production mode and waits until it is ready. It ends with the tests at the latest. `more` is added
 * to its environment. `entry` is the program of another release.
 */
export async function startService(
  databaseUrl: string,
  more: Readonly<Record<string, string>> = {},
  entry: string = MAIN,
): Promise<ServiceProcess> {
  const port = Number(more['PORT'] ?? (await findFreePort()));
  const child = spawn(process.execPath, [entry], {
    env: {
      PATH: process.env['PATH'],
      ENV_FILE: 'off',
      NODE_ENV: 'production',
      ...serviceSettings(databaseUrl),
      DATABASE_POOL_SIZE: '4',
      SECRET_KEY: SECRET[0],
      PUBLIC_URL: 'https://luna.example',
      SMTP_URL: 'smtp://127.0.0.1:1',
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'fatal',
      ...more,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onEnd(async () => void child.kill('SIGKILL'));
  const base = `http://127.0.0.1:${port}`;
  while ((await fetch(`${base}/readyz`).catch(() => null))?.status !== 200) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error('the service exited while it was starting');
    await sleep(25);
  }
  return { child, base };
}

export async function killService({ child }: ServiceProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
