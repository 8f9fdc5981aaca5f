import { availableParallelism } from 'node:os';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { compareDatabases, type Compared, type Figures } from '#db/copy/compare-databases.ts';
import { fillDatabase, NotEmpty } from '#db/copy/fill-database.ts';
import { inSnapshot } from '#db/copy/read-tables.ts';
import { openDatabase, type Database } from '#db/database.ts';
import { seizeEmbedded } from '#db/embedded/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import type { Config } from '#settings/config.ts';
import { Refusal } from '#base/refusal.ts';
import { createProgressBar, type Progress } from './progress.ts';
import { readSettings } from './read-settings.ts';
import {
  formatTable,
  jsonOption,
  printMessage,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { stopOnSignal } from './with-database.ts';

export function addMove(program: Command): void {
  program
    .command('move')
    .summary('move the embedded database to a server of your own')
    .description(
      'Copy everything from the embedded database in DATA_DIR into an empty database on another server, compare every row and figure of both, and check the books there. The service must be stopped. Nothing is lost if it is interrupted: run it again. Once it is done, the old database stays as it is and refuses to start.',
    )
    .requiredOption('--to <url>', 'address of an empty database, not through a pooler')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('move --to postgres://loyalty:secret@db.example:5432/loyalty'))
    .action(runMove);
}

async function runMove({ to, ...options }: JsonOption & { readonly to: string }): Promise<void> {
  const address = readAddress(to);
  const config = readSettings();
  const bar = createProgressBar();
  const embedded = await seizeEmbedded({ ...config, log: printMessage });
  const signals = stopOnSignal(() => embedded.release());
  const [source, target] = [embedded.url, to].map((url) =>
    openDatabase({ url, poolSize: 2, preparedStatements: true, statementTimeoutMs: 0 }),
  ) as [Database, Database];
  try {
    await migrate(source);
    const compared = await copy(source, target, bar);
    refuseDifferences(compared);
    const { members, movements, differences } = await verifyLedger(target, {
      parallel: availableParallelism(),
      onMovements: (movements, of) => bar.show(movements / of, 'checking the books'),
    });
    bar.end();
    if (differences.length > 0)
      throw new Refusal(
        `All rows were copied, but the books have ${writeCount(differences.length, 'difference')}, and so do the books here. Run \`loyalty ledger verify\`, and move again once they agree.`,
      );
    await embedded.markMoved(address);
    printResult(
      options,
      { to: address, members, movements, ...compared },
      () => `${writeComparison(compared)}\n\nEvery row is the same, and the books agree.`,
    );
    printMessage(writeNextSteps(address, config, embedded.folder));
  } finally {
    bar.end();
    await signals.ignore();
    await Promise.all([source.destroy(), target.destroy()]);
    await embedded.release();
  }
}

/** Returns the address without the password. @throws Refusal */
function readAddress(to: string): string {
  const url = URL.parse(to);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Refusal('--to must be an address such as postgres://user:password@host:5432/database.');
  url.password = '';
  url.searchParams.delete('password');
  return url.href;
}

/** A move that was interrupted after its commit finds the copy complete. */
async function copy(source: Database, target: Database, bar: Progress): Promise<Compared> {
  const compare = () =>
    compareDatabases(source.address, target.address, (table, place, of) =>
      bar.show(place / of, `comparing ${table}`),
    );
  try {
    await inSnapshot(source.address, async (snapshot) => {
      const total = snapshot.tables.reduce((sum, { aboutRows }) => sum + aboutRows, 1);
      const { foreignTables } = snapshot;
      if (foreignTables.length > 0)
        printMessage(`Not copied, because no migration created them: ${foreignTables.join(', ')}.`);
      return fillDatabase(target, snapshot, {
        onProgress: (words, rows) => bar.show(Math.min(0.99, rows / total), `copying ${words}`),
      });
    });
  } catch (error) {
    if (!(error instanceof NotEmpty)) throw error;
    const compared = await compare().catch(() => null);
    if (compared === null || compared.tables.some(({ isSame }) => !isSame)) throw error;
    return compared;
  }
  return compare();
}

function refuseDifferences({ tables }: Compared): void {
  const other = tables.filter(({ isSame }) => !isSame);
  if (other.length === 0) return;
  const told = other.map(
    ({ table, before, after }) => `${table} (${before.rows} rows here, ${after.rows} there)`,
  );
  throw new Refusal(
    `The copy differs from this database: ${told.join(', ')}. Do not use it: drop it, create it again, and repeat the move.`,
  );
}

const FIGURES: readonly (keyof Figures)[] = [
  'members',
  'movements',
  'points',
  'points_earned',
  'amount_spent',
  'purchases',
  'vouchers',
  'vouchers_used',
];

function writeComparison({ tables, commerces }: Compared): string {
  const figures = commerces.flatMap(({ slug, before, after }) =>
    FIGURES.map((name) => [slug, name.replace('_', ' '), before[name], after?.[name] ?? '']),
  );
  const rows = tables.map(({ table, before, after }) => [table, before.rows, after.rows]);
  return [
    formatTable(['COMMERCE', 'FIGURE', 'BEFORE', 'AFTER'], figures),
    formatTable(['TABLE', 'ROWS BEFORE', 'ROWS AFTER'], rows),
  ].join('\n\n');
}

function writeNextSteps(to: string, { dataDir, secretKey }: Config, folder: string): string {
  const key = join(dataDir, 'secret-key');
  const secret =
    secretKey === null && existsSync(key)
      ? `\n  SECRET_KEY   the content of ${key}, so that sessions and links stay good`
      : '';
  return `
Start the service with:
  DATABASE_URL ${to}, with the password${secret}

The old database is still in ${folder}. It refuses to start, so that nobody records
anything there by mistake. Delete it when you no longer need it.`;
}
