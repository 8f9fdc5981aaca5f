import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { clusterSettings, testDatabaseUrl } from './database.ts';

const BIN = new URL('../src/cli/loyalty.js', import.meta.url).pathname;

/** The result of a command. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Parses stdout as JSON of the type that the caller expects. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the alternative is a cast at every use
  readonly json: <T>() => T;
}

/** The working directory of the commands. Each test process has its own and deletes it when it ends. */
export const commandFolder = mkdtempSync(join(tmpdir(), 'loyalty-cli-'));
after(() => rmSync(commandFolder, { recursive: true }));

/** Runs the command line in a process of its own, as users do, on the database of this test process. */
export async function loyalty(
  args: readonly string[],
  { input = '', env = {} }: { input?: string | Buffer; env?: Record<string, string> } = {},
): Promise<Ran> {
  const child = await startLoyalty(args, env);
  // A command that refuses its arguments exits without reading its input.
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

/** Starts the command line for a caller that ends it with a signal. An undefined variable is not set. */
export async function startLoyalty(
  args: readonly string[],
  env: Record<string, string | undefined> = {},
): Promise<ChildProcessWithoutNullStreams> {
  return spawn(process.execPath, [BIN, ...args], {
    cwd: commandFolder,
    env: {
      PATH: process.env['PATH'],
      ENV_FILE: 'off',
      DATABASE_URL: await testDatabaseUrl(),
      ...clusterSettings(),
      ...env,
    },
  });
}
