import type { Command } from 'commander';
import { Refusal } from '../refusal.ts';
import { addressOf } from '../running-address.ts';
import { readSettings } from './read-settings.ts';
import { jsonOption, printResult, writeExamples, type JsonOption } from './terminal.ts';

export function addHealthcheck(program: Command): void {
  program
    .command('healthcheck')
    .summary('check whether the service is healthy')
    .description(
      'Check the service that runs on DATA_DIR, or else the one on HOST and PORT. The exit status is 0 if it is healthy and 1 if it is not. Made for containers.',
    )
    .option(...jsonOption)
    .addHelpText('after', writeExamples('healthcheck', 'healthcheck --json'))
    .action(runHealthcheck);
}

async function runHealthcheck(options: JsonOption): Promise<void> {
  const url = `${addressOf(readSettings())}/healthz`;
  const status = await fetchStatus(url);
  if (status !== 200) throw new Refusal(`The service at ${url} is not healthy: it answered ${status}.`);
  printResult(options, { url, healthy: true }, () => `The service at ${url} is healthy`);
}

async function fetchStatus(url: string): Promise<number> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })).status;
  } catch (error) {
    const { cause = error } = error as { cause?: unknown };
    throw new Refusal(
      `The service at ${url} does not answer: ${cause instanceof Error ? cause.message : String(cause)}.`,
    );
  }
}

const TIMEOUT_MS = 3_000;
