import type { Command } from 'commander';
import { rebuildFigures } from '#reports/rebuild-figures.ts';
import { Refusal } from '#base/refusal.ts';
import { findCommerce } from './find-commerce.ts';
import { createProgressBar } from './progress.ts';
import { jsonOption, printResult, writeCount, writeExamples, type JsonOption } from './terminal.ts';
import { withDatabase } from './with-database.ts';

export function addReports(program: Command): void {
  const reports = program
    .command('reports')
    .summary('count the figures of reports again')
    .description('Count the figures of the reports in the console again.')
    .addHelpText('after', writeExamples(EXAMPLE));
  reports
    .command('rebuild')
    .summary('count the figures from the whole ledger again')
    .description(
      'Discard the daily figures behind the reports of a commerce, and count them again from the whole ledger. ' +
        'Needed only if `ledger verify` finds a difference in them. It can run while the service runs, and the reports stay right meanwhile.',
    )
    .argument('<commerce>', 'slug or id')
    .option(...jsonOption)
    .addHelpText('after', writeExamples(EXAMPLE))
    .action(runRebuild);
}

const EXAMPLE = 'reports rebuild cafe-luna';

async function runRebuild(name: string, options: JsonOption): Promise<void> {
  const bar = createProgressBar();
  const movements = await withDatabase(async (database) => {
    const { id, slug } = await findCommerce(database, name);
    return rebuildFigures(database, id, { onBatch: (to, last) => bar.show(to / Math.max(1, last), slug) });
  }).finally(() => bar.end());
  if (movements === null)
    throw new Refusal(
      'Somebody’s transaction has been open for too long, so the ledger cannot be counted to its end. The reports are right all the same, and the service counts the rest. Run the command again later to be sure.',
    );
  printResult(options, { commerce: name, movements }, () => `${writeCount(movements, 'movement')} counted`);
}
