/** Long tests that are faults too: they run as they are, in a process of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ROOT } from '../../server/test/repository.ts';
import { withoutLoad, type Outcome } from './fault.ts';

/** Two processes that do the same jobs are killed together, again and again; every effect happens exactly once. */
export async function killedJobs(serverUrl: string, rounds: number, seed: number): Promise<Outcome> {
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', 'server/test/jobs-kill.long.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      TEST_DATABASE_SERVER: serverUrl,
      JOBS_KILL_ROUNDS: String(rounds),
      TEST_SEED: String(seed),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const reason = /error: (?:\|-\s*)?(.*)/.exec(output)?.[1] ?? `the test ended with ${code}`;
  const killed = Number(/(\d+) of \d+ pairs ran/.exec(output)?.[1] ?? 0);
  return withoutLoad('jobs of two processes killed', code === 0 ? [] : [reason], {
    'pairs of processes killed during jobs': killed,
  });
}
