import { InvalidArgumentError, Option, type Command } from 'commander';
import { readInstant } from '#calendar/instant.ts';
import type { Db } from '#db/database.ts';
import type { Part } from '#exports/export-members.ts';
import type { Stretch } from '#exports/read-ledger.ts';
import { FORMATS, type Format } from '#exports/write-rows.ts';
import { findCommerce } from './find-commerce.ts';
import { addCommerceChoice, namedCommerce, type CommerceOption } from './named-commerce.ts';
import { writeExamples } from './terminal.ts';
import { withDatabase } from './with-database.ts';
import { writeExport } from './write-export.ts';

export interface ExportCommand {
  readonly summary: string;
  readonly description: string;
  readonly notes: string;
  readonly examples: readonly string[];
  /** One row, as the progress bar counts them. */
  readonly noun: string;
  readonly columns: readonly string[];
  readonly read: (db: Db, commerceId: number, stretch: Stretch) => AsyncIterable<Part>;
}

/** Adds `export` to a group of commands. It writes rows of one commerce to stdout. */
export function addExportCommand(group: Command, exported: ExportCommand): Command {
  return addCommerceChoice(group.command('export'))
    .summary(exported.summary)
    .description(exported.description)
    .addOption(formatOption())
    .option('--json', 'the same as --format jsonl')
    .addHelpText('after', exported.notes)
    .addHelpText('after', writeExamples(...exported.examples))
    .action((argument: string | undefined, options: Options, command: Command) =>
      runExport(exported, namedCommerce(argument, options, command), options),
    );
}

/** Lets people choose the time of the rows that an export writes. */
export function addTimeChoice(command: Command, nouns: string): void {
  command
    .option('--from <instant>', `${nouns} made at this instant or later`, readInstantOption)
    .option('--to <instant>', `${nouns} made before this instant`, readInstantOption);
}

interface Options extends CommerceOption, Stretch {
  readonly format: Format;
  readonly json?: true;
}

async function runExport(
  { columns, noun, read }: ExportCommand,
  commerce: string,
  { format: named, json, from, to }: Options,
): Promise<void> {
  const format = json === true ? 'jsonl' : named;
  await withDatabase(async (database) => {
    const { id } = await findCommerce(database, commerce);
    await writeExport(database, { columns, format, noun }, (db) => read(db, id, { from, to }));
  });
}

function formatOption(): Option {
  return new Option('--format <format>', 'csv, or jsonl for one JSON object on each line')
    .choices(FORMATS)
    .default('csv');
}

function readInstantOption(text: string): Date {
  const instant = readInstant(text);
  if (instant === null)
    throw new InvalidArgumentError(`"${text}" is not an instant. Write it like 2026-01-01T00:00:00Z.`);
  return instant;
}
