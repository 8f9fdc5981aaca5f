import type { Command } from 'commander';
import { exportPurchases, PURCHASE_COLUMNS } from '#exports/export-purchases.ts';
import type { Format } from '#exports/write-rows.ts';
import { findCommerce } from './find-commerce.ts';
import { formatOption, readInstantOption } from './movements.ts';
import { addCommerceChoice, namedCommerce, type CommerceOption } from './named-commerce.ts';
import { writeExamples } from './terminal.ts';
import { withDatabase } from './with-database.ts';
import { writeExport } from './write-export.ts';

interface Options extends CommerceOption {
  readonly format: Format;
  readonly from?: Date;
  readonly to?: Date;
}

export function addPurchasesExport(purchases: Command): void {
  addCommerceChoice(purchases.command('export'))
    .summary('write the purchases to stdout')
    .description(
      'Write all purchases in the order in which they were recorded, as they are at one moment, each with what was reversed of it.',
    )
    .addOption(formatOption())
    .option('--from <instant>', 'purchases made at this instant or later', readInstantOption)
    .option('--to <instant>', 'purchases made before this instant', readInstantOption)
    .addHelpText('after', NOTES)
    .addHelpText(
      'after',
      writeExamples(
        'purchases export --commerce cafe-luna > purchases.csv',
        'purchases export --commerce cafe-luna --format jsonl --from 2026-01-01T00:00:00Z',
      ),
    )
    .action(runExport);
}

const NOTES = `
Purchases have the same id as in the API. \`purchases import\` reads the columns
that it needs and ignores the others. It does not know reversals.

In CSV, a text that a spreadsheet would take for a formula has an apostrophe in
front.`;

async function runExport(argument: string | undefined, options: Options, command: Command): Promise<void> {
  const { format, from, to } = options;
  const name = namedCommerce(argument, options, command);
  await withDatabase(async (database) => {
    const { id } = await findCommerce(database, name);
    const file = { columns: PURCHASE_COLUMNS, format, noun: 'purchase' };
    await writeExport(database, file, (db) => exportPurchases(db, id, { from, to }));
  });
}
