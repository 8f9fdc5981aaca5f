import type { Command } from 'commander';
import { importPurchases, type ImportedPurchases } from '#purchases/import-purchases.ts';
import { findOpenCommerce } from './find-commerce.ts';
import { openInput } from './open-input.ts';
import { progressBar } from './progress.ts';
import { NEVER_CLOSED, readCsv } from './read-csv.ts';
import { answer, complain, examples, jsonOption, say, type Json } from './terminal.ts';
import { withDatabase } from './with-database.ts';

interface Options extends Json {
  readonly commerce: string;
  readonly invite?: boolean;
}

export function addPurchases(program: Command): void {
  const purchases = program.command('purchases').description('Brings in purchases.');
  purchases
    .command('import')
    .summary('take in purchases from a CSV file')
    .description(DESCRIPTION)
    .argument('<file>', 'CSV file; - reads stdin')
    .requiredOption('--commerce <commerce>', 'slug or id of the commerce')
    .option('--invite', 'write to people whom the commerce does not know, as a purchase at the till does')
    .option(...jsonOption)
    .addHelpText('after', examples('purchases import 2025.csv --commerce cafe-luna'))
    .action(importFile);
}

const DESCRIPTION = `Takes in purchases that were made before, the oldest first, by the rules of any other purchase.
The first line names the columns:
  client_email or client_code   who bought; the points of an unknown address wait for it
  amount        whole currency units
  date          a day, a local time or an instant: 2026-03-01, 2026-03-01T18:30, 2026-03-01T18:30:00Z;
                what has no zone is in the commerce's, and a day alone is its first instant
  id_suc, counter_id   branch and register, optional
  external_id   what the purchase is called elsewhere, optional
The same file again counts nothing twice: a row is known by its external_id, or by its content and how often that
content stood before it in the file, so two equal purchases are two. No mail is sent without --invite.
A bad line is reported by its number and the others are taken: the exit status is 0 all the same, and 1
where no line could be taken or the file could not be read to its end.`;

const COLUMNS = {
  required: ['amount', 'date'],
  optional: ['client_email', 'client_code', 'id_suc', 'counter_id', 'external_id'],
} as const;

async function importFile(file: string, options: Options): Promise<void> {
  const { input, progress } = await openInput(file);
  const bar = progressBar();
  const started = performance.now();
  const result = await withDatabase(async (database) => {
    const commerce = await findOpenCommerce(database, options.commerce);
    const lines = readCsv(input, COLUMNS, (names) => say(`Columns that are not taken: ${names.join(', ')}.`));
    return importPurchases(database, commerce.id, lines, {
      invite: options.invite ?? false,
      onRead: (rows) => bar.show(progress(), `${rows} rows read`),
      onRecorded: (rows, of) => bar.show(rows / of, `${rows} of ${of} rows`),
    });
  }).finally(() => {
    bar.end();
    input.destroy();
  });
  report({ ...result, seconds: Math.round(performance.now() - started) / 1000 }, options);
}

function report(result: ImportedPurchases & { readonly seconds: number }, options: Options): void {
  const { rows, imported, repeated, refused, seconds } = result;
  for (const { line, reason } of refused.slice(0, MOST_SHOWN)) complain(`line ${line}: ${reason}`);
  if (refused.length > MOST_SHOWN)
    complain(`… and ${refused.length - MOST_SHOWN} more lines; --json lists all of them.`);
  answer(
    options,
    result,
    () =>
      `${rows} rows in ${seconds} s: ${imported} imported, ${repeated} imported before, ${refused.length} refused`,
  );
  const nothingTaken = refused.length > 0 && imported + repeated === 0;
  if (nothingTaken || refused.some(({ reason }) => reason === NEVER_CLOSED)) process.exitCode = 1;
}

const MOST_SHOWN = 100;
