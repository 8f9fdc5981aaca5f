import { basename } from 'node:path';
import type { Command } from 'commander';
import { noteInAudit } from '#audit/note-in-audit.ts';
import { PURCHASE_COLUMNS } from '#exports/export-purchases.ts';
import { importPurchases, type ImportedPurchases, type TriedPurchases } from '#purchases/import-purchases.ts';
import { addPurchasesExport } from './export-purchases.ts';
import { commandLineActor } from './command-line-actor.ts';
import { findOpenCommerce } from './find-commerce.ts';
import { ignoreOption, printLines, setExitStatus, writeSubject, writeTiers } from './import-report.ts';
import { openInput } from './open-input.ts';
import { createProgressBar } from './progress.ts';
import { readCsv } from './read-csv.ts';
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
  readonly commerce: string;
  readonly invite?: boolean;
  readonly dryRun?: boolean;
  readonly ignore: readonly string[];
}

export function addPurchases(program: Command): void {
  const purchases = program
    .command('purchases')
    .summary('import and export purchases')
    .description('Import and export purchases.')
    .addHelpText(
      'after',
      writeExamples(
        'purchases import 2025.csv --commerce cafe-luna --dry-run',
        'purchases export --commerce cafe-luna > purchases.csv',
      ),
    );
  addPurchasesExport(purchases);
  purchases
    .command('import')
    .summary('import purchases from a CSV file')
    .description('Import past purchases, oldest first, by the same rules as any other purchase.')
    .argument('<file>', 'CSV file; - reads stdin')
    .requiredOption('--commerce <commerce>', 'slug or id of the commerce')
    .option('--invite', 'invite unknown people by mail, as a purchase at the till does')
    .option('--dry-run', 'check every line and show what would happen, but store nothing')
    .addOption(ignoreOption())
    .option(...jsonOption)
    .addHelpText('after', FILE_NOTES)
    .addHelpText(
      'after',
      writeExamples(
        'purchases import 2025.csv --commerce cafe-luna --dry-run',
        'purchases import 2025.csv --commerce cafe-luna',
      ),
    )
    .action(runImport);
}

const FILE_NOTES = `
The first line of the file names its columns:
  client_email or client_code
               the buyer; points for an unknown address are kept for its owner;
               the address also: email, email address, customer email
  amount       in whole currency units; also: total, order total
  date         a day, a local time or an instant:
               2026-03-01, 2026-03-01T18:30 or 2026-03-01T18:30:00Z;
               a day or local time is in the commerce's time zone,
               and a day means its first instant;
               also: order date, purchase date
  id_suc       branch, optional; also: branch
  counter_id   register, optional; also: register
  external_id  id of the purchase in another system, optional;
               also: order id, order number
  channel      where it was sold, such as web, optional; for rules by channel
  lines        what was sold, optional; for rules by product: JSON as in a call,
               such as [{"id":"1","product":"loaf","units":2,"amount":7}];
               the amounts add up to amount; also: items, line items
Case, blanks, hyphens and underscores in these names make no difference.

Importing the same file again counts nothing twice. A row is recognised by its
external_id, or by its content and the number of equal rows before it in the
file, so two equal purchases count as two. No mail is sent without --invite.

An unknown column is refused and nothing is imported, unless --ignore names it.
In a file of \`purchases export\`, the columns that are not listed above are left
out.

A bad line is reported by its number, and the other lines are imported. The exit
status is then 3. It is 1 if no line could be imported or if the file could not
be read to its end. The file must be UTF-8, or nothing is imported.`;

const COLUMNS = {
  required: ['amount', 'date'],
  optional: ['client_email', 'client_code', 'id_suc', 'counter_id', 'external_id', 'channel', 'lines'],
  exported: PURCHASE_COLUMNS,
  aliases: {
    email: 'client_email',
    'email address': 'client_email',
    'e-mail address': 'client_email',
    'customer email': 'client_email',
    total: 'amount',
    'order total': 'amount',
    'order date': 'date',
    'purchase date': 'date',
    branch: 'id_suc',
    register: 'counter_id',
    'order id': 'external_id',
    'order number': 'external_id',
    items: 'lines',
    'line items': 'lines',
  },
} as const;

async function runImport(file: string, options: Options): Promise<void> {
  const { input, progress } = await openInput(file);
  const bar = createProgressBar();
  const started = performance.now();
  const result = await withDatabase(async (database, { invitationsPerDay }) => {
    const commerce = await findOpenCommerce(database, options.commerce);
    const lines = readCsv(input, COLUMNS, options.ignore, (names) =>
      printMessage(`Ignored columns: ${names.join(', ')}.`),
    );
    if (options.dryRun !== true)
      await noteInAudit(database, commandLineActor(commerce.id), {
        action: 'purchases.import',
        subject: basename(file),
      });
    return importPurchases(database, commerce.id, lines, {
      invite: options.invite ?? false,
      dryRun: options.dryRun ?? false,
      invitationsPerDay,
      onRead: (rows) => bar.show(progress(), `${writeCount(rows, 'row')} read`),
      onRecorded: (rows, of) => bar.show(rows / of, `${rows} of ${of} rows`),
    });
  }).finally(() => {
    bar.end();
    input.destroy();
  });
  printReport({ ...result, seconds: Math.round(performance.now() - started) / 1000 }, options);
}

type Report = (ImportedPurchases | TriedPurchases) & { readonly seconds: number };

function printReport(result: Report, options: Options): void {
  const { rows, imported, repeated, refused, waiting, tiers, tierCodes, seconds } = result;
  const dryRun = options.dryRun === true;
  printLines(refused, []);
  const data = {
    ...('points' in result && { dry_run: true }),
    rows,
    imported,
    repeated,
    refused,
    waiting,
    tiers,
    tier_codes: tierCodes,
    ...('points' in result && { points: result.points }),
    seconds,
  };
  printResult(options, data, () =>
    [
      `${writeCount(rows, 'row')} in ${seconds} s: ${imported} imported, ${repeated} already imported, ${refused.length} refused`,
      ...writeWaiting(waiting, dryRun),
      ...writeTiers(result, dryRun),
      ...('points' in result
        ? [`${writeCount(result.points, 'point')} would be earned. This was a dry run: nothing was stored`]
        : []),
    ].join('\n'),
  );
  setExitStatus(refused, imported + repeated);
}

function writeWaiting({ buyers, points }: Report['waiting'], dryRun: boolean): string[] {
  if (buyers === 0) return [];
  const subject = writeSubject(buyers, 'buyer', 'is not a member', 'are not members');
  const [one, many] = dryRun ? ['would wait', 'would wait'] : ['waits', 'wait'];
  return [
    `${subject} yet: ${writeSubject(points, 'point', one, many)} until they join. A balance that \`members import\` brings for them comes on top.`,
  ];
}
