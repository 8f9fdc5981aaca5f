import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { testDatabaseUrl } from './database.ts';

const BIN = new URL('../src/cli/loyalty.js', import.meta.url).pathname;

/** What a command left behind. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What stdout says, read as JSON by who knows what it has to be. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a cast at every use would say the same
  readonly json: <T>() => T;
}

/** A folder of this test process, the one that commands run in; it goes when the process ends. */
export const commandFolder = mkdtempSync(join(tmpdir(), 'loyalty-cli-'));
after(() => rmSync(commandFolder, { recursive: true }));

/** Runs the command line as its users do, in a process of its own, on this test process's database. */
export async function loyalty(
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Ran> {
  const child = await startLoyalty(args, env);
  // A command that refuses its arguments does not wait for its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const exit = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  const json: Ran['json'] = () => JSON.parse(stdout);
  return { code, stdout, stderr, json };
}

/** Starts it, for who ends it by a signal. A variable that is undefined is not set. */
export async function startLoyalty(
  args: readonly string[],
  env: Record<string, string | undefined> = {},
): Promise<ChildProcessWithoutNullStreams> {
  return spawn(process.execPath, [BIN, ...args], {
    cwd: commandFolder,
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: await testDatabaseUrl(),
      ...env,
    },
  });
}
