import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { Refusal } from '#base/refusal.ts';
import { addressOf } from '#start/running-address.ts';
import { readSettings } from './read-settings.ts';
import { jsonOption, printResult, writeExamples, type JsonOption } from './terminal.ts';

interface Options extends JsonOption {
  readonly ready?: boolean;
  readonly wait: number;
}

export function addHealthcheck(program: Command): void {
  program
    .command('healthcheck')
    .summary('check whether the service is healthy')
    .description(
      'Check the service that runs on DATA_DIR, or else the one on HOST and PORT. The exit status is 0 if it is healthy and 1 if it is not. Meant for containers and for rolling restarts.',
    )
    .option('--ready', 'check whether it can serve calls, not only whether it is running')
    .option('--wait <seconds>', 'how long to wait for that', readSeconds, 0)
    .option(...jsonOption)
    .addHelpText('after', writeExamples('healthcheck', 'healthcheck --ready --wait 60'))
    .action(runHealthcheck);
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (!/^\d{1,4}$/.test(text) || seconds > LONGEST_WAIT_SECONDS)
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${LONGEST_WAIT_SECONDS}.`);
  return seconds;
}

async function runHealthcheck(options: Options): Promise<void> {
  const settings = readSettings();
  const state = options.ready === true ? 'ready' : 'healthy';
  // A service that is still starting may not have written its address down yet.
  const check = () =>
    checkService(`${addressOf(settings)}/${state === 'ready' ? 'readyz' : 'healthz'}`, state);
  const last = performance.now() + options.wait * 1_000;
  let { url, problem } = await check();
  while (problem !== null && performance.now() < last) {
    await sleep(TRY_AGAIN_MS);
    ({ url, problem } = await check());
  }
  if (problem !== null) throw new Refusal(problem);
  printResult(options, { url, [state]: true }, () => `The service at ${url} is ${state}`);
}

/** Asks the service once. The problem is a sentence, or null if the service is in this state. */
async function checkService(url: string, state: string): Promise<{ url: string; problem: string | null }> {
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const problem = status === 200 ? null : `The service at ${url} is not ${state}: it answered ${status}.`;
    return { url, problem };
  } catch (error) {
    const { cause = error } = error as { cause?: unknown };
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { url, problem: `The service at ${url} does not answer: ${reason}.` };
  }
}

const TIMEOUT_MS = 3_000;
const TRY_AGAIN_MS = 250;
const LONGEST_WAIT_SECONDS = 3_600;
