import { hasCitus } from '#db/cluster/shards.ts';
import { InvalidArgumentError, type Command } from 'commander';
import { partition, planPartitions, writeGigabytes, type Change } from '#partition/partition.ts';
import { Refusal } from '#base/refusal.ts';
import { createProgressBar } from './progress.ts';
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
  readonly parts: number;
  readonly dryRun?: boolean;
}

export function addPartition(program: Command): void {
  program
    .command('partition')
    .summary('keep the movements in partitions, or in one table again')
    .description(
      'Make the table of the movements one in partitions, by the shop, or one table again with `--parts 1`. The service may run: the rows are copied and compared while calls go on, and writes wait only while the copy takes the place of the table. Says for how long. If it is interrupted, run it again.',
    )
    .option('--parts <number>', 'how many: 1, or a power of two up to 256', toParts, 16)
    .option('--dry-run', 'only check and say what would be done')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('partition --dry-run', 'partition --parts 16', 'partition --parts 1'))
    .action(runPartition);
}

function toParts(text: string): number {
  const parts = Number(text);
  if (!/^[1-9]\d{0,2}$/.test(text) || parts > 256 || !Number.isInteger(Math.log2(parts)))
    throw new InvalidArgumentError('It must be 1, 2, 4, 8, 16, 32, 64, 128 or 256.');
  return parts;
}

async function runPartition({ parts, dryRun = false, ...options }: Options): Promise<void> {
  await withDatabase(
    async (database, config) => {
      if (config.cluster !== null && (await hasCitus(database)))
        throw new Refusal('A cluster divides the movements already. This is for one PostgreSQL.');
      const plan = await planPartitions(database, parts);
      const bar = createProgressBar();
      const seconds = dryRun
        ? null
        : await partition(database, plan, {
            onProgress: (fraction, words) => bar.show(fraction, words),
            onWaiting(attempt) {
              if (attempt === 2)
                printMessage('Other transactions hold the tables. Trying again every second.');
            },
          }).finally(() => bar.end());
      const { from, steps, neededBytes, freeBytes } = plan;
      printResult(
        options,
        {
          parts_before: from.partitions,
          parts,
          rows: from.rows,
          needed_bytes: neededBytes,
          free_bytes: freeBytes,
          steps,
          ...(seconds !== null && { writes_waited_seconds: seconds }),
        },
        () => describe(plan, seconds),
      );
    },
    { role: 'owner' },
  );
}

function describe(
  { from, partitions, steps, neededBytes, freeBytes }: Change,
  seconds: number | null,
): string {
  const kept = (parts: number) => (parts === 1 ? 'one table' : `${parts} partitions`);
  if (steps.length === 0) return `The movements are in ${kept(partitions)} already.`;
  if (seconds !== null)
    return `Done: the movements are in ${kept(partitions)}. Writes waited for ${seconds.toFixed(1)} s at most.`;
  return [
    `The movements are in ${kept(from.partitions)}, with about ${writeCount(from.rows, 'row')}.`,
    ...(neededBytes > 0
      ? [
          `The copy needs about ${writeGigabytes(neededBytes)} on the disk of PostgreSQL${
            freeBytes === null ? ': look whether they are free' : `; ${writeGigabytes(freeBytes)} are free`
          }.`,
        ]
      : []),
    'It would:',
    ...steps.map((step) => `- ${step}`),
  ].join('\n');
}
