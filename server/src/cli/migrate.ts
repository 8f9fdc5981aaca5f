import type { Command } from 'commander';
import { readMigrationStatus } from '#db/migrate.ts';
import { updateSchema } from '#distribute/update-schema.ts';
import { formatTable, jsonOption, printResult, writeExamples, type JsonOption } from './terminal.ts';
import { grantIfTwoRoles, withUnmigratedDatabase } from './with-database.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .summary('update the database schema')
    .description(
      'Update the database schema to this version of the program. `serve` does the same when it starts, if its role owns the tables. With DATABASE_OWNER_URL, the role of DATABASE_URL gets the rights on the data that the service needs, and no others.',
    )
    .option('--status', 'only list the migrations and when each was applied')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('migrate --status', 'migrate'))
    .action((options: JsonOption & { readonly status?: boolean }) =>
      options.status === true ? runStatus(options) : runMigrate(options),
    );
}

async function runMigrate(options: JsonOption): Promise<void> {
  const { applied, distributed, granted } = await withUnmigratedDatabase(
    async (database, config) => ({
      ...(await updateSchema(database)),
      granted: await grantIfTwoRoles(database, config),
    }),
    { role: 'owner' },
  );
  const result = {
    applied,
    ...(distributed.length > 0 && { distributed }),
    ...(granted !== null && { granted_to: granted }),
  };
  printResult(options, result, () =>
    [
      ...(applied.length === 0 ? ['The schema is up to date'] : applied.map((name) => `applied ${name}`)),
      ...distributed.map((name) => `distributed ${name}`),
      ...(granted === null ? [] : [`${granted} has the rights of the service`]),
    ].join('\n'),
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
