import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { Refusal } from './refusal.ts';
import { answer, examples, jsonOption, type Json } from './terminal.ts';

export function addHealthcheck(program: Command): void {
  program
    .command('healthcheck')
    .summary('ask the running service whether it is well')
    .description(
      'Asks the service on HOST and PORT whether it is well: exit 0 where it is, 1 where it is not. For containers.',
    )
    .option(...jsonOption)
    .addHelpText('after', examples('healthcheck'))
    .action(healthcheck);
}

async function healthcheck(options: Json): Promise<void> {
  const { host, port } = readConfig(process.env);
  const url = `http://${reachable(host)}:${port}/healthz`;
  const status = await ask(url);
  if (status !== 200) throw new Refusal(`The service at ${url} is not well: it answered ${status}.`);
  answer(options, { url, healthy: true }, () => `The service at ${url} is well`);
}

async function ask(url: string): Promise<number> {
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

/** A service that listens on all addresses is asked on the machine's own; IPv6 stands in brackets. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
