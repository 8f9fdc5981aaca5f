import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { SESSION_OPTIONS } from '../server/src/db/database.ts';

/** The service's own transaction for pgbench: a script, and the constants that it names. */
export interface Script {
  readonly text: string;
  readonly constants: ReadonlyMap<string, string>;
}

/** Runs a script with prepared statements and the service's own session options. Gives transactions a second, without the time to connect. */
export async function runPgbench(
  script: Script,
  options: { readonly url: string; readonly clients: number; readonly seconds: number },
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'pgbench-'));
  const file = join(folder, 'script.sql');
  await writeFile(file, script.text);
  try {
    const args = [
      '--no-vacuum',
      '--protocol=prepared',
      `--client=${options.clients}`,
      `--time=${options.seconds}`,
      `--file=${file}`,
      ...[...script.constants].map(([name, value]) => `--define=${name}=${value}`),
      options.url,
    ];
    const env = { ...process.env, PGOPTIONS: SESSION_OPTIONS };
    const { stdout } = await promisify(execFile)('pgbench', args, { env });
    // Its connections have ended and PostgreSQL is to have noticed, or their processor time is not counted.
    await setTimeout(100);
    const failed = /number of failed transactions: (\d+)/.exec(stdout)?.[1];
    if (failed !== undefined && failed !== '0') throw new Error(`${failed} transactions of pgbench failed`);
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
