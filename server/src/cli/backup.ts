import { hasCitus } from '#db/cluster/shards.ts';
import { Refusal } from '#base/refusal.ts';
import { InvalidArgumentError, type Command } from 'commander';
import { makeBackupKey } from '#backup/encryption.ts';
import { listBackups } from '#backup/keep-backups.ts';
import { openBackupAddress, openPlace } from '#backup/place.ts';
import { checkBackup } from '#backup/restore-backup.ts';
import { takeBackup } from '#backup/take-backup.ts';
import { sqlState, type Database } from '#db/database.ts';
import { noteWork } from '#monitoring/watched-work.ts';
import { readVersion } from '#base/version.ts';
import { findBackup } from './find-backup.ts';
import { createProgressBar } from './progress.ts';
import { readSettings } from './read-settings.ts';
import {
  formatTable,
  jsonOption,
  printError,
  printMessage,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { withUnmigratedDatabase } from './with-database.ts';

export function addBackup(program: Command): void {
  const backup = program
    .command('backup')
    .summary('copy the database into one file')
    .description(
      'Copy the whole database into one file while the service keeps running: all rows as they were at one moment. The ' +
        'file gets its name only when it is complete. It contains no SECRET_KEY.',
    )
    .argument('[place]', 'a folder, or s3://bucket/prefix (default: BACKUP_TO)')
    .option(
      '--encrypt-to <key>',
      'encrypt for this public key; may be repeated (default: BACKUP_RECIPIENTS)',
      (key: string, before: readonly string[] | undefined) => [...(before ?? []), key],
    )
    .option('--keep <number>', 'then keep only this many of the newest backups in the place', readKeep)
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples(
        'backup /var/backups/loyalty --keep 14',
        'backup s3://shop-backups/loyalty --encrypt-to age1…',
        'backup list',
      ),
    )
    .action(runBackup);
  backup
    .command('list')
    .summary('list the backups of a place')
    .description('List the backups of a place, newest first.')
    .argument('[place]', 'a folder, or s3://bucket/prefix (default: BACKUP_TO)')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('backup list s3://shop-backups/loyalty'))
    .action(runList);
  backup
    .command('check')
    .summary('read a backup and check every sum in it')
    .description('Read all of a backup and check every sum in it. Needs no database and changes nothing.')
    .argument('[backup]', 'a backup, or a place for its newest one (default: BACKUP_TO)')
    .option('--identity <file>', 'file with the secret key (default: BACKUP_IDENTITY)')
    .option('--sha256 <checksum>', 'refuse any backup but this one, as printed by `backup --json`')
    .option(...jsonOption)
    .addHelpText('after', writeExamples('backup check /var/backups/loyalty --identity backup-key.txt'))
    .action(runCheck);
  backup
    .command('key')
    .summary('make a key pair for encrypted backups')
    .description(
      'Make a key pair for encrypted backups. The secret key goes to stdout, in the format of age-keygen. Write it to a file ' +
        'that only you can read (`umask 077` first). Keep that where you keep the root password, and not on the machine that takes ' +
        'backups. The public key goes into BACKUP_RECIPIENTS.',
    )
    .option('--json', 'print both keys as one JSON document')
    .addHelpText('after', writeExamples('backup key > backup-key.txt'))
    .action(runKey);
}

/** The machines of a cluster have no snapshot in common, so rows that are read one after the other are of no one moment. */
class NotOnCluster extends Refusal {
  constructor() {
    super(
      'A backup is of one server, and this is a cluster. Back up each machine with PostgreSQL’s own tools and citus_create_restore_point (docs/scaling.md#backups), or single shops with `loyalty commerce export`.',
    );
  }
}

interface BackupOptions extends JsonOption {
  readonly encryptTo?: readonly string[];
  readonly keep?: number;
}

async function runBackup(
  address: string | undefined,
  options: BackupOptions,
  command: Command,
): Promise<void> {
  const { backups } = readSettings();
  const to = address ?? backups.to ?? missingPlace(command);
  const bar = createProgressBar();
  const taken = await withUnmigratedDatabase(async (database) => {
    if (database.address.cluster !== null && (await hasCitus(database))) throw new NotOnCluster();
    return tellMonitoring(database, async () =>
      takeBackup(database.address, {
        place: await openPlace(to),
        recipients: options.encryptTo ?? backups.recipients,
        keep: options.keep ?? null,
        program: readVersion(),
        onProgress: (fraction, words) => bar.show(fraction, words),
      }),
    );
  }).finally(() => bar.end());
  const { takenAt, leftOut, notRemoved, address: backup, name: _, ...rest } = taken;
  printResult(
    options,
    { backup, taken_at: takenAt, ...rest, left_out: leftOut },
    () =>
      `${backup}\n${writeCount(taken.rows, 'row')} of ${taken.tables} tables at ${takenAt.toISOString()}, ${writeBytes(taken.bytes)} in ${taken.seconds} s`,
  );
  for (const table of leftOut)
    printMessage(`The table ${table} does not belong to the service, so it is not in the backup.`);
  for (const name of taken.removed) printMessage(`Removed ${name}.`);
  for (const name of taken.ahead)
    printMessage(
      `${name} has a later time than this backup, so it was not counted. Remove it if its time is wrong.`,
    );
  if (!taken.encrypted)
    printMessage(
      'The backup is not encrypted, and holds the personal data of all members: see --encrypt-to.',
    );
  if (notRemoved === null) return;
  process.exitCode = 1;
  printError(`The backup is complete, but old ones could not be removed: ${notRemoved.message}`);
}

/** Notes how a backup ended. A backup that is complete is one, also if that cannot be noted. */
async function tellMonitoring<T>(database: Database, backup: () => Promise<T>): Promise<T> {
  const note = async (outcome: 'done' | 'failed') => {
    try {
      await noteWork(database, 'backup', outcome);
    } catch (error) {
      // The schema is older than this program: nobody watches its backups yet.
      if (sqlState(error) === '42P01') return;
      printMessage(
        `The outcome of this backup could not be recorded for monitoring: ${(error as Error).message}`,
      );
    }
  };
  let result: T;
  try {
    result = await backup();
  } catch (error) {
    await note('failed');
    throw error;
  }
  await note('done');
  return result;
}

async function runList(address: string | undefined, options: JsonOption, command: Command): Promise<void> {
  const to = address ?? readSettings().backups.to ?? missingPlace(command);
  const place = await openPlace(to);
  const kept = await listBackups(place);
  printResult(
    options,
    kept.map(({ name, length, takenAt, encrypted }) => ({
      backup: place.describe(name),
      taken_at: takenAt,
      bytes: length,
      encrypted,
    })),
    () =>
      formatTable(
        ['BACKUP', 'TAKEN', 'SIZE', 'ENCRYPTED'],
        kept.map(({ name, length, takenAt, encrypted }) => [
          name,
          takenAt.toISOString(),
          writeBytes(length),
          encrypted ? 'yes' : 'no',
        ]),
      ),
  );
}

async function runCheck(
  address: string | undefined,
  options: JsonOption & { identity?: string; sha256?: string },
  command: Command,
): Promise<void> {
  const config = readSettings();
  const found = await findBackup(
    await openBackupAddress(address ?? config.backups.to ?? missingPlace(command)),
    config,
    options.identity,
  );
  const bar = createProgressBar();
  const { takenAt, program, tables, rows } = await checkBackup(found.content, {
    identities: found.identities,
    isNamedEncrypted: found.isNamedEncrypted,
    sha256: options.sha256?.toLowerCase(),
    onProgress: (fraction, words) => bar.show(fraction, words),
  }).finally(() => bar.end());
  printResult(
    options,
    { backup: found.address, taken_at: takenAt, program, tables, rows },
    () =>
      `${found.address} is complete: ${writeCount(rows, 'row')} of ${tables} tables at ${takenAt.toISOString()}`,
  );
}

/** Without `--json` the output is a file for `--identity` and for age, even where stdout is no terminal. */
async function runKey({ json }: JsonOption): Promise<void> {
  const { identity, recipient } = await makeBackupKey();
  if (json === true) return printResult({ json }, { public_key: recipient, secret_key: identity }, () => '');
  process.stdout.write(`# public key: ${recipient}\n${identity}\n`);
  printMessage(`Public key: ${recipient}`);
}

function missingPlace(command: Command): never {
  return command.error('error: name a place, or set BACKUP_TO');
}

function readKeep(text: string): number {
  if (!/^[1-9][0-9]{0,5}$/.test(text))
    throw new InvalidArgumentError('It must be a number of backups, at least 1.');
  return Number(text);
}

function writeBytes(bytes: number): string {
  const unit =
    bytes >= 1e9
      ? { name: 'GB', size: 1e9 }
      : bytes >= 1e6
        ? { name: 'MB', size: 1e6 }
        : { name: 'kB', size: 1e3 };
  return `${(bytes / unit.size).toFixed(1)} ${unit.name}`;
}
