import type { Command } from 'commander';
import { importMembers, type ImportedMembers } from '#enrolment/import-members.ts';
import { findOpenCommerce } from './find-commerce.ts';
import { openInput } from './open-input.ts';
import { progressBar } from './progress.ts';
import { NEVER_CLOSED, readCsv } from './read-csv.ts';
import { answer, complain, examples, jsonOption, say, type Json } from './terminal.ts';
import { withDatabase } from './with-database.ts';

interface Options extends Json {
  readonly commerce: string;
  readonly welcome?: boolean;
}

export function addMembers(program: Command): void {
  const members = program.command('members').description('Brings in members.');
  members
    .command('import')
    .summary('take in members from a CSV file')
    .description('Takes in people whom the shop knows already, with the points that they bring along.')
    .argument('<file>', 'CSV file; - reads stdin')
    .requiredOption('--commerce <commerce>', 'slug or id of the commerce')
    .option('--welcome', 'give the welcome reward to those who are new')
    .option(...jsonOption)
    .addHelpText('after', FILE_NOTES)
    .addHelpText('after', examples('members import people.csv --commerce cafe-luna'))
    .action(importFile);
}

const FILE_NOTES = `
The first line of the file names its columns:
  email       required
  username    name of the person, or \`name\`; else the part of the address before the @
  birth_date  as 1990-12-31
  phone       with its country, as +5491122334455
  points      opening balance, which counts as earned

Who has joined before is left as they are, so the same file again changes nothing. No mail is sent.
A bad line is reported by its number and the others are taken. The exit status is 0 all the same, and 1
where no line could be taken or the file could not be read to its end.`;

const COLUMNS = {
  required: ['email'],
  optional: ['username', 'birth_date', 'phone', 'points'],
  aliases: { name: 'username' },
} as const;

async function importFile(file: string, options: Options): Promise<void> {
  const { input, progress } = await openInput(file);
  const bar = progressBar();
  const result = await withDatabase(async (database) => {
    const commerce = await findOpenCommerce(database, options.commerce);
    const lines = readCsv(input, COLUMNS, (names) => say(`Columns that are not taken: ${names.join(', ')}.`));
    return importMembers(database, commerce.id, lines, {
      welcome: options.welcome ?? false,
      onProgress: (rows) => bar.show(progress(), `${rows} rows`),
    });
  }).finally(() => {
    bar.end();
    input.destroy();
  });
  report(result, options);
}

function report(result: ImportedMembers, options: Options): void {
  const { rows, imported, existing, refused } = result;
  for (const { line, reason } of refused.slice(0, MOST_SHOWN)) complain(`line ${line}: ${reason}`);
  if (refused.length > MOST_SHOWN)
    complain(`… and ${refused.length - MOST_SHOWN} more lines; --json lists all of them.`);
  answer(
    options,
    result,
    () => `${rows} rows: ${imported} imported, ${existing} existed already, ${refused.length} refused`,
  );
  const nothingTaken = refused.length > 0 && imported + existing === 0;
  if (nothingTaken || refused.at(-1)?.reason === NEVER_CLOSED) process.exitCode = 1;
}

const MOST_SHOWN = 100;
