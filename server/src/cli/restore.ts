import { hasCitus } from '#db/cluster/shards.ts';
import { Refusal } from '#base/refusal.ts';
import type { Command } from 'commander';
import { openBackupAddress } from '#backup/place.ts';
import { restoreBackup } from '#backup/restore-backup.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { findBackup } from './find-backup.ts';
import { createProgressBar } from './progress.ts';
import { readSettings } from './read-settings.ts';
import { describeDifference, MAX_SHOWN } from './ledger.ts';
import {
  jsonOption,
  printError,
  printMessage,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { grantIfTwoRoles, withEmptyDatabase } from './with-database.ts';

export function addRestore(program: Command): void {
  program
    .command('restore')
    .summary('fill an empty database from a backup')
    .description(
      'Fill an empty database from a backup, then verify the books. It is all of the backup or nothing: a backup that is cut ' +
        'off or damaged, and a database that is not empty, are refused and nothing is changed. Without DATABASE_URL, the ' +
        'database in DATA_DIR is created. A backup of an older release is upgraded on the way.',
    )
    .argument('[backup]', 'a backup, or a place for its newest one (default: BACKUP_TO)')
    .option('--identity <file>', 'file with the secret key (default: BACKUP_IDENTITY)')
    .option('--sha256 <checksum>', 'refuse any backup but this one, as printed by `backup --json`')
    .option('--no-verify', 'do not verify the books afterwards')
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples(
        'restore /var/backups/loyalty',
        'restore s3://shop-backups/loyalty/loyalty-2026-11-22T03-00-00-000Z.tar.age --identity backup-key.txt',
      ),
    )
    .action(runRestore);
}

interface RestoreOptions extends JsonOption {
  readonly identity?: string;
  readonly sha256?: string;
  readonly verify: boolean;
}

async function runRestore(
  address: string | undefined,
  options: RestoreOptions,
  command: Command,
): Promise<void> {
  const bar = createProgressBar();
  const show = (fraction: number | null, words: string) => bar.show(fraction, words);
  const config = readSettings();
  const named = address ?? config.backups.to;
  if (named === null) command.error('error: name a backup, or set BACKUP_TO');
  // First of all, so that a wrong name does not leave a new database in DATA_DIR.
  const found = await findBackup(await openBackupAddress(named), config, options.identity);
  const { held, seconds, verified } = await withEmptyDatabase(async (database) => {
    if (config.cluster !== null && (await hasCitus(database)))
      throw new Refusal(
        'A backup is restored to one server, and CLUSTER=citus is set. Restore it without CLUSTER to the empty database of the coordinator, and run `loyalty distribute` then.',
      );
    const startedAt = performance.now();
    printMessage(`Restoring ${found.address}.`);
    const held = await restoreBackup(database, found.content, {
      identities: found.identities,
      isNamedEncrypted: found.isNamedEncrypted,
      sha256: options.sha256?.toLowerCase(),
      onProgress: show,
    });
    await grantIfTwoRoles(database, config);
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const verified = options.verify
      ? await verifyLedger(database, {
          onMovements: (movements, of) => show(movements / of, 'checking the books'),
        })
      : null;
    return { held, seconds, verified };
  }).finally(() => bar.end());
  const { takenAt, program, tables, rows } = held;
  const differences = verified?.differences ?? null;
  printResult(
    options,
    {
      backup: found.address,
      taken_at: takenAt,
      program,
      tables,
      rows,
      seconds,
      differences: differences?.length ?? null,
    },
    () =>
      `${writeCount(rows, 'row')} of ${tables} tables as of ${takenAt.toISOString()} in ${seconds} s${
        differences === null ? '' : `; ${writeCount(differences.length, 'difference')} in the books`
      }`,
  );
  printMessage(
    'Anything recorded after that moment is not in this database. Start the service with the SECRET_KEY of then, or links ' +
      'in old mails and passes on phones stop working.',
  );
  if (differences === null || differences.length === 0) return;
  process.exitCode = 1;
  for (const difference of differences.slice(0, MAX_SHOWN)) printError(describeDifference(difference));
}
