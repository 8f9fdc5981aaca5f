import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { bareEnv } from '../../../bench/child.ts';

const LOYALTY = new URL('../../../server/src/cli/loyalty.js', import.meta.url).pathname;

/** How a command ended. */
export interface Ended {
  /** Null if it was still running when its time was up. */
  readonly exitCode: number | null;
  readonly printed: string;
  readonly seconds: number;
}

/** Runs `loyalty`, and stops it if it runs for more than a minute. */
export async function runLoyalty(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const began = performance.now();
  const child = spawn(process.execPath, [LOYALTY, ...args], {
    env: { ...bareEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const closed = new Promise<number | null>((resolve) => void child.once('close', resolve));
  const [out, errors, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { exitCode, printed: out + errors, seconds: (performance.now() - began) / 1_000 };
}

/** Applies a program file. */
export async function applyFile(program: string, env: Record<string, string>): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-attack-'));
  try {
    const file = join(folder, 'program.yaml');
    await writeFile(file, program);
    const ended = await runLoyalty(['apply', file], env);
    return { ...ended, printed: ended.printed.replaceAll(`${folder}/`, '') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
