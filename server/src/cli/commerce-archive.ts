import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { exportCommerce } from '#archive/export-commerce.ts';
import { BooksRefused, importCommerce } from '#archive/import-commerce.ts';
import { openArchive } from '#archive/read-archive.ts';
import { createArchiveWriter, type Exported } from '#archive/write-archive.ts';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { nameFile } from '#backup/name-file.ts';
import type { Database } from '#db/database.ts';
import { tellTrouble, tellWriteTrouble } from '#files/tell-trouble.ts';
import { Refusal } from '#base/refusal.ts';
import { commandLineActor } from './command-line-actor.ts';
import { findCommerce } from './find-commerce.ts';
import { listFiles, workThrough } from './many-files.ts';
import { createProgressBar } from './progress.ts';
import {
  failOnLostReader,
  jsonOption,
  printMessage,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { withDatabase } from './with-database.ts';

/** Adds `export` and `import` to the group `commerce`. */
export function addCommerceArchive(commerce: Command): void {
  commerce
    .command('export')
    .summary('write everything of one commerce into an archive')
    .description(
      'Write everything that belongs to a commerce into one file, for another installation: program, members, ledger, codes, hashes of keys, staff and audit. The service may run meanwhile; what it records after the start is not in the archive. The archive holds personal data: only its owner can read the file that --output writes.',
    )
    .argument('<commerce>', 'slug or id')
    .option('--output <file>', 'a new file (default: stdout)')
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples(
        'commerce export cafe-luna --output cafe-luna.archive',
        'commerce export cafe-luna | gpg -e -r ops > a.gpg',
      ),
    )
    .action(runExport);
  commerce
    .command('import')
    .summary('import the commerce in an archive')
    .description(
      'Import the commerce in an archive, all of it or nothing. It gets a new commerce id; all other ids, codes and keys are as they were. The archive is checked to its last byte, and the books are checked before anything is stored. Several archives are imported one by one: if one is refused, the others are still imported, and the exit status is 1.',
    )
    .argument(
      '<file...>',
      'an archive of `commerce export`; - reads stdin; also several, or a folder of files that end in .archive',
    )
    .option('--dry-run', 'do everything, check the books, and store nothing')
    .option('--reopen', 'open a commerce that was closed before it was exported')
    .option('--sha256 <checksum>', 'refuse any archive but this one, as printed by `commerce export`')
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples(
        'commerce import cafe-luna.archive --dry-run',
        'commerce import cafe-luna.archive',
        'commerce import archives/',
      ),
    )
    .action(runImport);
}

interface ExportOptions extends JsonOption {
  readonly output?: string;
}

async function runExport(name: string, options: ExportOptions): Promise<void> {
  const { output } = options;
  if (output === undefined && process.stdout.isTTY)
    throw new Refusal(
      'An archive cannot be written to a terminal. Name a file with --output, or redirect stdout.',
    );
  if (output !== undefined && existsSync(output)) throw new Refusal(`${output} already exists.`);
  await withDatabase(async (database) => {
    const { id, slug } = await findCommerce(database, name);
    const exported = await writeArchive(database, id, output);
    const rows = sum(exported.rows);
    await auditedTransaction(database, commandLineActor(id), async () => ({
      answer: null,
      entry: { action: 'commerce.export', subject: slug, after: { archive: exported.sha256, rows } },
    }));
    const { sha256 } = exported;
    if (output === undefined) printMessage(`${slug}: ${writeCount(rows, 'row')}, sha256 ${sha256}`);
    else
      printResult(
        options,
        { slug, file: output, rows: exported.rows, sha256 },
        () => `${slug}: ${writeCount(rows, 'row')} in ${output}, sha256 ${sha256}`,
      );
  });
}

/** A file gets its name when it is complete. */
async function writeArchive(
  database: Database,
  commerceId: number,
  output: string | undefined,
): Promise<Exported> {
  if (output !== undefined) return writeFileOf(database, commerceId, output);
  failOnLostReader();
  return writeTo(process.stdout, database, commerceId);
}

async function writeFileOf(database: Database, commerceId: number, output: string): Promise<Exported> {
  // In a folder that others use, nobody can have made this file before.
  const unfinished = `${output}.${randomBytes(6).toString('hex')}.partial`;
  const cannotWrite = (error: Error): never => {
    throw new Refusal(`${output} cannot be written: ${tellWriteTrouble(error)}.`, { cause: error });
  };
  await removeAbandoned(dirname(output));
  const file = await open(unfinished, 'wx', 0o600).catch(cannotWrite);
  try {
    const exported = await writeTo(file.createWriteStream({ flush: true }), database, commerceId);
    await nameFile(unfinished, output).catch(cannotWrite);
    return exported;
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** An export that was killed leaves its file, with the data of members. One that was written to within a day may still be going on. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!/\.[0-9a-f]{12}\.partial$/.test(name)) continue;
    const path = join(folder, name);
    // Another export may remove its own, and somebody else's can stay.
    const writtenAt = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    );
    if (Date.now() - writtenAt > DAY_MS) await rm(path).catch(() => {});
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

async function writeTo(target: Writable, database: Database, commerceId: number): Promise<Exported> {
  const bar = createProgressBar();
  let lost: Error | null = null;
  target.once('error', (error) => (lost = error));
  try {
    return await exportCommerce(database, commerceId, createArchiveWriter(target), (fraction, rows) =>
      bar.show(fraction, writeCount(rows, 'row')),
    );
  } catch (error) {
    if (lost === null) throw error;
    throw new Refusal(`The archive is incomplete: ${(lost as Error).message}.`, { cause: error });
  } finally {
    bar.end();
  }
}

interface ImportOptions extends JsonOption {
  readonly dryRun?: boolean;
  readonly reopen?: boolean;
  readonly sha256?: string;
}

async function runImport(given: string[], options: ImportOptions): Promise<void> {
  const files = await listFiles(given, ['.archive']);
  if (files === null) return importOne(given[0]!, options);
  if (options.sha256 !== undefined) throw new Refusal('--sha256 applies to one archive: name one file.');
  await importMany(files, options);
}

/** All in one process and on one connection: starting a process takes longer than the import of a small shop. */
async function importMany(
  files: readonly string[],
  { dryRun = false, reopen = false, ...options }: ImportOptions,
): Promise<void> {
  await withDatabase((database) =>
    workThrough(files, options, async (file) => {
      const { stream } = await openFile(file);
      const archive = await openArchive(stream);
      const imported = await importCommerce(database, archive, {
        actorAt: commandLineActor,
        dryRun,
        reopen,
      });
      const { commerceId, slug, rows, sha256 } = imported;
      const outcome = dryRun ? 'can be imported' : 'imported';
      return {
        outcome,
        says: dryRun
          ? `${slug} can be imported: ${writeCount(sum(rows), 'row')}`
          : `${slug} (commerce ${commerceId}) was imported: ${writeCount(sum(rows), 'row')}`,
        data: { commerce_id: dryRun ? null : commerceId, slug, imported: !dryRun, rows, sha256 },
      };
    }),
  );
}

async function importOne(file: string, options: ImportOptions): Promise<void> {
  const { dryRun = false, reopen = false, sha256 } = options;
  const bar = createProgressBar();
  const input = await openFile(file);
  try {
    const imported = await withDatabase(async (database) =>
      importCommerce(database, await openArchive(input.stream), {
        actorAt: commandLineActor,
        dryRun,
        reopen,
        sha256: sha256?.toLowerCase(),
        onRows: (rows) => bar.show(input.fraction(), writeCount(rows, 'row')),
        onVerify: () => bar.show(null, 'checking the books'),
      }),
    );
    const { commerceId, slug, rows } = imported;
    const total = sum(rows);
    printResult(
      options,
      { commerce_id: dryRun ? null : commerceId, slug, imported: !dryRun, rows, sha256: imported.sha256 },
      () =>
        dryRun
          ? `${slug} can be imported: ${writeCount(total, 'row')}, and the books agree`
          : `${slug} (commerce ${commerceId}) was imported: ${writeCount(total, 'row')}, and the books agree`,
    );
    if (!dryRun)
      printMessage(
        `Its callers now send X-Commerce-Id: ${commerceId}. Its API keys work as before; members sign in anew.`,
      );
  } catch (error) {
    if (error instanceof BooksRefused && options.json === true)
      printResult(options, { differences: error.differences }, () => '');
    throw error;
  } finally {
    bar.end();
  }
}

async function openFile(file: string): Promise<{ stream: Readable; fraction: () => number | null }> {
  if (file === '-') return { stream: process.stdin, fraction: () => null };
  try {
    const entry = await stat(file);
    if (entry.isDirectory()) throw new Error('it is a folder, not a file');
    const { size } = entry;
    const stream = createReadStream(file);
    await new Promise((resolve, reject) => stream.once('open', resolve).once('error', reject));
    return { stream, fraction: () => stream.bytesRead / size };
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${tellTrouble(error)}.`);
  }
}

function sum(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((total, count) => total + count, 0);
}
