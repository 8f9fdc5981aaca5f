import type { Command } from 'commander';
import { exportPurchases, PURCHASE_COLUMNS } from '#exports/export-purchases.ts';
import { addExportCommand, addTimeChoice } from './export-command.ts';

export function addPurchasesExport(purchases: Command): void {
  const exported = addExportCommand(purchases, {
    summary: 'write the purchases to stdout',
    description:
      'Write all purchases in the order in which they were recorded, as they are at one moment, each with the amount that was reversed.',
    notes: NOTES,
    examples: [
      'purchases export --commerce cafe-luna > purchases.csv',
      'purchases export --commerce cafe-luna --format jsonl --from 2026-01-01T00:00:00Z',
    ],
    noun: 'purchase',
    columns: PURCHASE_COLUMNS,
    read: exportPurchases,
  });
  addTimeChoice(exported, 'purchases');
}

const NOTES = `
Purchases have the same id as in the API. \`purchases import\` reads the columns
that it needs and ignores the others. It does not import reversals.

In CSV, text that a spreadsheet would take for a formula begins with an apostrophe.`;
