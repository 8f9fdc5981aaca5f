import { InvalidArgumentError, type Command } from 'commander';
import { distribute, planDistribution } from '#distribute/distribute.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import type { Database } from '#db/database.ts';
import { Refusal } from '#base/refusal.ts';
import {
  formatTable,
  jsonOption,
  printMessage,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { withDatabase } from './with-database.ts';

interface Options extends JsonOption {
  readonly shards?: number;
  readonly dryRun?: boolean;
}

export function addDistribute(program: Command): void {
  program
    .command('distribute')
    .summary('divide the database over the machines of a Citus cluster')
    .description(
      'Divide the tables of the shops over the machines of a Citus cluster, by the shop. The database must be that of the coordinator, and CLUSTER=citus must be set. Checks first, compares the books before and after, and says how long writes waited. It is one transaction: all of it or nothing. Repeating it does nothing.',
    )
    .option(
      '--shards <number>',
      'how many parts to make, at most as many machines as you will ever have (default: the present number, at first 16)',
      toShards,
    )
    .option('--dry-run', 'only check and say what would be done')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('distribute --dry-run', 'distribute --shards 16'))
    .action(runDistribute);
}

function toShards(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text) || Number(text) > 128)
    throw new InvalidArgumentError('It must be a number from 1 to 128.');
  return Number(text);
}

async function runDistribute({ shards: wanted, dryRun = false, ...options }: Options): Promise<void> {
  await withDatabase(
    async (database, config) => {
      if (config.cluster === null) throw new Refusal('Set CLUSTER=citus, here and for the service.');
      const plan = await planDistribution(database, wanted);
      const { state, shards } = plan;
      const { version, nodes } = state;
      const tables = plan.steps.map(({ table, to, rows }) => ({ table, kept: to, rows }));
      if (!dryRun && tables.length > 0) await refuseDifferences(database, 'Nothing was changed.');
      const seconds = dryRun ? null : await distribute(database, plan);
      if (!dryRun && tables.length > 0)
        await refuseDifferences(database, 'Stop the service, and restore the backup of before.');
      printResult(
        options,
        {
          citus: version,
          nodes,
          shards,
          tables,
          ...(seconds !== null && { writes_waited_seconds: seconds }),
        },
        () =>
          [
            ...(tables.length === 0
              ? [`Everything is distributed: ${writeCount(nodes, 'machine')}, ${shards} shards.`]
              : [
                  formatTable(
                    ['TABLE', 'WILL BE', 'ROWS, ABOUT'],
                    tables.map(({ table, kept, rows }) => [table, kept, rows]),
                  ),
                ]),
            ...(seconds === null || tables.length === 0
              ? []
              : [`Done. Writes waited for ${seconds.toFixed(1)} s, and the books agree.`]),
          ].join('\n'),
      );
    },
    { role: 'owner' },
  );
}

async function refuseDifferences(database: Database, otherwise: string): Promise<void> {
  printMessage('Comparing the books.');
  const { differences } = await verifyLedger(database);
  if (differences.length === 0) return;
  throw new Refusal(
    `The books have ${writeCount(differences.length, 'difference')}: see \`loyalty ledger verify\`. ${otherwise}`,
  );
}
