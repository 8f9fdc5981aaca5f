import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { endOpenLinks, LINK_HOURS, makeSetUpLink } from '#set-up/set-up-link.ts';
import { setUpUrl } from '#set-up/set-up-url.ts';
import { addressOf } from '#start/running-address.ts';
import {
  jsonOption,
  printMessage,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { withDatabase } from './with-database.ts';

interface Options extends JsonOption {
  readonly hours: number;
  readonly endOthers?: boolean;
}

/** The longest that a link can be opened. */
const MOST_HOURS = 30 * 24;

export function addSetupLink(program: Command): void {
  program
    .command('setup-link')
    .summary('make a link for setting up a shop')
    .description(
      'Make a link for setting up a shop in the browser and becoming its owner. Works for the first shop and for any later one. Only one person can use it: the first to confirm an e-mail address with it.',
    )
    .option('--hours <hours>', 'how long the link can be opened', readHours, LINK_HOURS)
    .option('--end-others', 'end all other unused links, in case somebody saw one')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('setup-link', 'setup-link --hours 72', 'setup-link --end-others'))
    .action(runSetupLink);
}

async function runSetupLink({ hours, endOthers = false, ...options }: Options): Promise<void> {
  const { url, ended } = await withDatabase(async (database, config) => {
    const ended = endOthers ? await endOpenLinks(database) : 0;
    const base = config.consoleUrl ?? config.publicUrl ?? addressOf(config);
    return { url: setUpUrl(base, await makeSetUpLink(database, { hours })), ended };
  });
  printResult(options, { url, hours, ended }, () => url);
  if (endOthers) printMessage(`${writeCount(ended, 'other link')} ended.`);
  printMessage(`Valid for ${writeCount(hours, 'hour')}, for whoever opens it first.`);
}

function readHours(text: string): number {
  const hours = Number(text);
  if (!Number.isInteger(hours) || hours < 1 || hours > MOST_HOURS)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_HOURS}.`);
  return hours;
}
