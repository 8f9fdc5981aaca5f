import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { SESSION_OPTIONS } from '../server/src/platform/db/database.ts';

/** One of the service's transactions as pgbench runs it. */
export interface Script {
  readonly text: string;
  /** Values that the text refers to by name. */
  readonly constants: ReadonlyMap<string, string>;
}

/**
 * Runs a script on 16 connections, with prepared statements and the service's own session options.
 * Returns transactions a second, not counting the time to connect.
 */
export async function runPgbench(script: Script, url: string, seconds: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'pgbench-'));
  const file = join(folder, 'script.sql');
  await writeFile(file, script.text);
  try {
    const args = [
      '--no-vacuum',
      '--protocol=prepared',
      '--client=16',
      `--time=${seconds}`,
      `--file=${file}`,
      ...[...script.constants].map(([name, value]) => `--define=${name}=${value}`),
      url,
    ];
    const env = { ...process.env, PGOPTIONS: SESSION_OPTIONS };
    const { stdout } = await promisify(execFile)('pgbench', args, { env });
    // Its sessions have to end in PostgreSQL too, or their processor time is not counted.
    await setTimeout(100);
    const failed = /number of failed transactions: (\d+)/.exec(stdout)?.[1];
    if (failed !== undefined && failed !== '0') throw new Error(`${failed} transactions of pgbench failed`);
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
