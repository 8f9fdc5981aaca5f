import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Program } from '#program/program.ts';
import { applyProgram, type Applied } from '#apply/apply-program.ts';
import { formatProblems, readProgram } from '#program/read-program.ts';
import { Refusal } from '../refusal.ts';
import { jsonOption, printError, printResult, writeExamples, type JsonOption } from './terminal.ts';
import { withDatabase } from './with-database.ts';

interface Options extends JsonOption {
  readonly dryRun?: boolean;
}

export function addApply(program: Command): void {
  program
    .command('apply')
    .summary('create or update a commerce from its program file')
    .description(
      'Creates the commerce that a program file describes, or updates it if its slug exists. Applying the same file again changes nothing.',
    )
    .argument('<file>', 'program file, YAML or JSON; - reads stdin')
    .option('--dry-run', 'show the changes without making them')
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples('apply cafe-luna.yaml --dry-run', 'export cafe-luna | loyalty apply -'),
    )
    .action(runApply);
}

async function runApply(file: string, options: Options): Promise<void> {
  const { program, clock } = await readProgramFile(file);
  const applied = await withDatabase((database) =>
    applyProgram(database, program, { clock, dryRun: options.dryRun ?? false }),
  );
  const { commerceId, slug, created, changes, warnings } = applied;
  printResult(options, { commerce_id: commerceId, slug, created, changes, warnings }, () =>
    describeResult(applied, options),
  );
  for (const warning of warnings) printError(`warning: ${warning}`);
}

async function readProgramFile(file: string): Promise<{ program: Program; clock: Date | null }> {
  const read = readProgram(file === '-' ? await text(process.stdin) : await readText(file));
  if (!read.ok) throw new Refusal(formatProblems(file === '-' ? 'stdin' : file, read.problems));
  return read;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${(error as Error).message}.`);
  }
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
