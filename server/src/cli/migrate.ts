import type { Command } from 'commander';
import { migrate, migrationStatus } from '#db/migrate.ts';
import { answer, examples, jsonOption, table, type Json } from './terminal.ts';
import { withAnyDatabase } from './with-database.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .summary("bring the database's schema up to this program's")
    .description("Brings the database's schema up to this program's; `serve` does the same when it starts.")
    .option('--status', 'only list the migrations, and when each was applied')
    .option(...jsonOption)
    .addHelpText('after', examples('migrate --status', 'migrate'))
    .action((options: Json & { readonly status?: boolean }) =>
      options.status === true ? status(options) : apply(options),
    );
}

async function apply(options: Json): Promise<void> {
  const applied = await withAnyDatabase((database) => migrate(database));
  answer(options, { applied }, () =>
    applied.length === 0 ? 'The schema is up to date' : applied.map((name) => `applied ${name}`).join('\n'),
  );
}

async function status(options: Json): Promise<void> {
  const migrations = await withAnyDatabase((database) => migrationStatus(database));
  answer(
    options,
    migrations.map(({ name, appliedAt }) => ({ name, applied_at: appliedAt })),
    () =>
      table(
        ['MIGRATION', 'APPLIED'],
        migrations.map(({ name, appliedAt }) => [name, appliedAt?.toISOString() ?? 'not yet']),
      ),
  );
}
