import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { once } from 'node:events';
import { SECRET, type World } from '../faults/world.ts';

const LOYALTY = fileURLToPath(new URL('../../server/src/cli/loyalty.js', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the service on a cluster, in a process of its own. */
export async function runCommand(
  { url }: Pick<World, 'url'>,
  args: readonly string[],
  input = '',
): Promise<Ran> {
  const child = spawn(process.execPath, [LOYALTY, ...args], {
    env: {
      PATH: process.env['PATH'],
      ENV_FILE: 'off',
      SECRET_KEY: SECRET,
      DATABASE_URL: url.href,
      CLUSTER: 'citus',
    },
  });
  // A command that refuses its arguments exits without reading its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const exit = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { code, stdout, stderr };
}

/** Returns what the doctor says of these things. */
export async function askDoctor(world: World, ...about: readonly string[]): Promise<string[]> {
  const { stdout } = await runCommand(world, ['doctor', '--json']);
  const { findings } = JSON.parse(stdout) as { findings: { about: string; says: string }[] };
  return findings.filter((finding) => about.includes(finding.about)).map(({ says }) => says);
}
