import type { Command } from 'commander';
import { exportMovements } from '#exports/export-movements.ts';
import { MOVEMENT_COLUMNS } from '#exports/wire.ts';
import { addExportCommand, addTimeChoice } from './export-command.ts';
import { writeExamples } from './terminal.ts';

export function addMovements(program: Command): void {
  const movements = program
    .command('movements')
    .summary('export movements')
    .description('Export the movements of points.')
    .addHelpText('after', writeExamples('movements export --commerce cafe-luna > movements.csv'));
  const exported = addExportCommand(movements, {
    summary: 'write the movements of points to stdout',
    description:
      'Write all movements of points in the order in which they were recorded, as they are at one moment.',
    notes: NOTES,
    examples: [
      'movements export --commerce cafe-luna > movements.csv',
      'movements export --commerce cafe-luna --format jsonl --from 2026-01-01T00:00:00Z',
    ],
    noun: 'movement',
    columns: MOVEMENT_COLUMNS,
    read: exportMovements,
  });
  addTimeChoice(exported, 'movements');
}

const NOTES = `
The points of all movements of a client add up to the balance, with the points
that have expired but are not written off. Purchases have the same id as in the
API.

In CSV, text that a spreadsheet would take for a formula begins with an apostrophe.`;
