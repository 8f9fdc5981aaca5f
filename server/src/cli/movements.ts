import { InvalidArgumentError, Option, type Command } from 'commander';
import { readInstant } from '#calendar/instant.ts';
import { exportMovements } from '#exports/export-movements.ts';
import { MOVEMENT_COLUMNS } from '#exports/wire.ts';
import { FORMATS, type Format } from '#exports/write-rows.ts';
import { findCommerce } from './find-commerce.ts';
import { addCommerceChoice, namedCommerce, type CommerceOption } from './named-commerce.ts';
import { writeExamples } from './terminal.ts';
import { withDatabase } from './with-database.ts';
import { writeExport } from './write-export.ts';

interface Options extends CommerceOption {
  readonly format: Format;
  readonly from?: Date;
  readonly to?: Date;
}

export function addMovements(program: Command): void {
  const movements = program
    .command('movements')
    .summary('export movements')
    .description('Export the movements of points.')
    .addHelpText('after', writeExamples('movements export --commerce cafe-luna > movements.csv'));
  addCommerceChoice(movements.command('export'))
    .summary('write the movements of points to stdout')
    .description(
      'Write all movements of points in the order in which they were recorded, as they are at one moment.',
    )
    .addOption(formatOption())
    .option('--from <instant>', 'movements made at this instant or later', readInstantOption)
    .option('--to <instant>', 'movements made before this instant', readInstantOption)
    .addHelpText('after', NOTES)
    .addHelpText(
      'after',
      writeExamples(
        'movements export --commerce cafe-luna > movements.csv',
        'movements export --commerce cafe-luna --format jsonl --from 2026-01-01T00:00:00Z',
      ),
    )
    .action(runExport);
}

/** The option that every export has. */
export function formatOption(): Option {
  return new Option('--format <format>', 'csv, or jsonl for one JSON object on each line')
    .choices(FORMATS)
    .default('csv');
}

const NOTES = `
The points of all movements of a client add up to the balance, with the points
that have expired but are not written off. Purchases have the same id as in the
API.

In CSV, a text that a spreadsheet would take for a formula has an apostrophe in
front.`;

async function runExport(argument: string | undefined, options: Options, command: Command): Promise<void> {
  const { format, from, to } = options;
  const name = namedCommerce(argument, options, command);
  await withDatabase(async (database) => {
    const { id } = await findCommerce(database, name);
    const file = { columns: MOVEMENT_COLUMNS, format, noun: 'movement' };
    await writeExport(database, file, (db) => exportMovements(db, id, { from, to }));
  });
}

export function readInstantOption(text: string): Date {
  const instant = readInstant(text);
  if (instant === null)
    throw new InvalidArgumentError(`"${text}" is not an instant. Write it like 2026-01-01T00:00:00Z.`);
  return instant;
}
