import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Program } from '#program/program.ts';
import { applyProgram, type Applied } from '#apply/apply-program.ts';
import { formatProblems, readProgram } from '#program/read-program.ts';
import { Refusal } from './refusal.ts';
import { answer, examples, jsonOption, type Json } from './terminal.ts';
import { withDatabase } from './with-database.ts';

interface Options extends Json {
  readonly dryRun?: boolean;
}

export function addApply(program: Command): void {
  program
    .command('apply')
    .summary('create or update a commerce from its program file')
    .description(
      'Creates the commerce that a program file describes, or updates the one of its slug. Twice in a row changes nothing.',
    )
    .argument('<file>', 'program file, YAML or JSON; - reads stdin')
    .option('--dry-run', 'only say what would change')
    .option(...jsonOption)
    .addHelpText('after', examples('apply cafe-luna.yaml --dry-run', 'export cafe-luna | loyalty apply -'))
    .action(apply);
}

async function apply(file: string, options: Options): Promise<void> {
  const { program, clock } = await readProgramFile(file);
  const applied = await withDatabase((database) =>
    applyProgram(database, program, { clock, dryRun: options.dryRun ?? false }),
  );
  const { commerceId, slug, created, changes } = applied;
  answer(options, { commerce_id: commerceId, slug, created, changes }, () => inWords(applied, options));
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

function inWords({ commerceId, slug, created, changes }: Applied, { dryRun = false }: Options): string {
  const id = commerceId === null ? '' : ` (commerce ${commerceId})`;
  return [`${slug}${id} ${doneTo(created, changes, dryRun)}`, ...changes.map((change) => `  ${change}`)].join(
    '\n',
  );
}

function doneTo(created: boolean, changes: readonly string[], dryRun: boolean): string {
  if (created) return dryRun ? 'would be created' : 'was created';
  if (changes.length === 0) return 'is as the file says already';
  return dryRun ? 'would change' : 'was changed';
}
