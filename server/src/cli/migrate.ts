import type { Command } from 'commander';
import { migrate, readMigrationStatus } from '#db/migrate.ts';
import { formatTable, jsonOption, printResult, writeExamples, type JsonOption } from './terminal.ts';
import { withUnmigratedDatabase } from './with-database.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .summary('update the database schema')
    .description(
      'Update the database schema to this version of the program. `serve` does the same when it starts.',
    )
    .option('--status', 'only list the migrations and when each was applied')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('migrate --status', 'migrate'))
    .action((options: JsonOption & { readonly status?: boolean }) =>
      options.status === true ? runStatus(options) : runMigrate(options),
    );
}

async function runMigrate(options: JsonOption): Promise<void> {
  const applied = await withUnmigratedDatabase((database) => migrate(database));
  printResult(options, { applied }, () =>
    applied.length === 0 ? 'The schema is up to date' : applied.map((name) => `applied ${name}`).join('\n'),
  );
}

async function runStatus(options: JsonOption): Promise<void> {
  const migrations = await withUnmigratedDatabase((database) => readMigrationStatus(database));
  printResult(
    options,
    migrations.map(({ name, appliedAt }) => ({ name, applied_at: appliedAt })),
    () =>
      formatTable(
        ['MIGRATION', 'APPLIED'],
        migrations.map(({ name, appliedAt }) => [name, appliedAt?.toISOString() ?? 'not yet']),
      ),
  );
}
