import type { Command } from 'commander';
import type { Program } from '#program/program.ts';
import { applyProgram, previewNewCommerce, ProgramRefused, type Applied } from '#apply/apply-program.ts';
import type { Database } from '#db/database.ts';
import { NoDatabase } from '#db/embedded/embedded.ts';
import { formatProblems, placeProblems, readProgram, type FileProblem } from '#program/read-program.ts';
import { Refusal } from '#base/refusal.ts';
import { addressOf } from '#start/running-address.ts';
import { commandLineActor } from './command-line-actor.ts';
import { listFiles, workThrough } from './many-files.ts';
import { readSettings } from './read-settings.ts';
import { readText } from './read-text.ts';
import {
  jsonOption,
  printError,
  printMessage,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';
import { DraftRefused, describeWhatIf, tellWhatIf, type WhatIfOptions } from './what-if.ts';
import { withDatabase } from './with-database.ts';

interface Options extends JsonOption, WhatIfOptions {
  readonly dryRun?: boolean;
  readonly whatIf?: boolean;
}

export function addApply(program: Command): void {
  program
    .command('apply')
    .summary('create or update a commerce from its program file')
    .description(
      'Create the commerce that a program file describes, or update it if its slug exists. Applying the same file again changes nothing. All problems of a file are listed at once, each with its line. Several files are applied one by one: if one is refused, the others are still applied, and the exit status is 1.',
    )
    .argument('<file...>', 'program file, YAML or JSON; - reads stdin; also several, or a folder of them')
    .option('--dry-run', 'show the changes without making them; needs no database')
    .option(
      '--what-if',
      'show what the program would have done over the real purchases, without changing anything',
    )
    .option('--from <day>', 'with --what-if: the first day, twelve months ago by default')
    .option('--to <day>', 'with --what-if: the last day; by default, everything counts up to now')
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples(
        'apply cafe-luna.yaml --dry-run',
        'apply cafe-luna.yaml --what-if --from 2026-01-01',
        'apply cafe-luna.yaml',
        'apply shops/',
        'export cafe-luna | loyalty apply -',
      ),
    )
    .action(runApply);
}

async function runApply(given: string[], options: Options): Promise<void> {
  const files = await listFiles(given, ['.yaml', '.yml', '.json']);
  if (files !== null) return applyMany(files, options);
  const [file] = given as [string];
  const { source, read } = await readSource(file, options);
  if (options.whatIf === true) return printWhatIf(read.program, source, options);
  if (options.from !== undefined || options.to !== undefined)
    throw new Refusal('--from and --to can only be used with --what-if.');
  const applied = await orPreview(options, (database) => applyTo(database, read, source, options));
  const { commerceId, slug, created, changes, warnings } = applied;
  printResult(options, { commerce_id: commerceId, slug, created, changes, warnings }, () =>
    describeResult(applied, options),
  );
  for (const warning of warnings) printError(`warning: ${warning}`);
  if (created && options.dryRun !== true && options.json !== true) printMessage(writeNextSteps(read.program));
}

/** All in one process and on one connection: starting a process takes longer than an apply. */
async function applyMany(files: readonly string[], options: Options): Promise<void> {
  if (options.whatIf === true || options.from !== undefined || options.to !== undefined)
    throw new Refusal('--what-if takes one program at a time: name one file.');
  await orPreview(options, (database) =>
    workThrough(files, options, async (file) => {
      const { source, read } = await readSource(file, { ...options, json: false });
      const applied = await applyTo(database, read, source, { ...options, json: false });
      const { commerceId, slug, created, changes, warnings } = applied;
      const warned = warnings.map((warning) => `  warning: ${warning}`);
      return {
        outcome: describeOutcome(created, changes, options.dryRun ?? false).replace(/^(is|was) /, ''),
        says: [describeResult({ ...applied, changes: created ? [] : changes }, options), ...warned].join(
          '\n',
        ),
        data: { commerce_id: commerceId, slug, created, changes, warnings },
      };
    }),
  );
}

/** @throws Refusal with all problems of the file */
async function readSource(file: string, options: Options) {
  const source: Source = {
    name: file === '-' ? 'stdin' : file,
    text: await readText(file, 'Nothing was changed.'),
  };
  const read = readProgram(source.text);
  if (!read.ok) throw refusalOf(source, read.problems, options);
  return { source, read };
}

async function printWhatIf(program: Program, source: Source, options: Options): Promise<void> {
  try {
    const told = await withDatabase((database) => tellWhatIf(database, program, options));
    printResult(options, told, () => describeWhatIf(program.slug, told));
    for (const warning of told.warnings) printError(`warning: ${warning}`);
  } catch (error) {
    if (error instanceof DraftRefused)
      throw refusalOf(source, placeProblems(source.text, error.problems), options);
    throw error;
  }
}

interface Source {
  readonly name: string;
  readonly text: string;
}

/** Works on the database; on none if this is a dry run and there is none yet. */
async function orPreview<T>(
  { dryRun = false }: Options,
  work: (database: Database | null) => Promise<T>,
): Promise<T> {
  try {
    return await withDatabase(work);
  } catch (error) {
    if (!dryRun || !(error instanceof NoDatabase)) throw error;
    printMessage('There is no database yet, so this is what the file would do in a new one.');
    return work(null);
  }
}

async function applyTo(
  database: Database | null,
  { program, clock }: { readonly program: Program; readonly clock: Date | null },
  source: Source,
  options: Options,
): Promise<Applied> {
  const { dryRun = false } = options;
  try {
    return database === null
      ? previewNewCommerce(program, clock ?? new Date())
      : await applyProgram(database, program, { clock, dryRun, actorAt: commandLineActor });
  } catch (error) {
    if (!(error instanceof ProgramRefused)) throw error;
    throw refusalOf(source, placeProblems(source.text, error.problems), options);
  }
}

/** Lists all problems. With --json they are data, for an editor or a pipeline. */
function refusalOf({ name }: Source, problems: readonly FileProblem[], options: Options): Refusal {
  if (options.json === true) printResult(options, { problems }, () => '');
  return new Refusal(
    `${formatProblems(name, problems)}\n${writeCount(problems.length, 'problem')}. Nothing was changed.`,
  );
}

/** Lists the next steps of a shop after its first apply. The curl works as soon as a key stands in it. */
function writeNextSteps({ slug, sandbox, earning }: Program): string {
  const amount = Math.min(Math.ceil(25 * earning.money_per_point), earning.max_amount);
  const settings = readSettings();
  const base = settings.publicUrl ?? addressOf(settings);
  return `
What next, while the service runs (\`npm start\`):
  1. Create an API key for the shop's server:
     npx --no-install loyalty key create --commerce ${slug}
  2. Record a first purchase with it:
     curl -i ${base}/v1/consumptions/email \\
       -H 'Authorization: Bearer ${sandbox ? 'lk_test_…' : 'lk_live_…'}' \\
       -H 'Content-Type: application/json' \\
       -d '{"client_email": "you@example.com", "amount": ${amount}}'
  3. Join the club with the same address, and find the points there:
     ${base}/club/${slug}`;
}

function describeResult(
  { commerceId, slug, created, changes }: Applied,
  { dryRun = false }: Options,
): string {
  const id = commerceId === null ? '' : ` (commerce ${commerceId})`;
  const outcome = describeOutcome(created, changes, dryRun);
  return [`${slug}${id} ${outcome}`, ...changes.map((change) => `  ${change}`)].join('\n');
}

function describeOutcome(created: boolean, changes: readonly string[], dryRun: boolean): string {
  if (created) return dryRun ? 'would be created' : 'was created';
  if (changes.length === 0) return 'is already up to date';
  return dryRun ? 'would change' : 'was changed';
}
