#!/usr/bin/env node
/** The command line: data on stdout, words on stderr; exit 0, 1 where a command was refused, 2 for wrong usage. */
import { readFile } from 'node:fs/promises';
import { Command, CommanderError } from 'commander';
import { addApply } from './apply.ts';
import { addCommerce } from './commerce.ts';
import { addExport } from './export.ts';
import { addHealthcheck } from './healthcheck.ts';
import { addKey } from './key.ts';
import { addMembers } from './members.ts';
import { addMigrate } from './migrate.ts';
import { sentencesOf } from './refusal.ts';
import { addSchema } from './schema.ts';
import { addServe } from './serve.ts';
import { complain, examples } from './terminal.ts';

const NOTES = `
Data goes to stdout: readable on a terminal, JSON with --json and wherever it is read by another program.
Words go to stderr. The exit status is 0, 1 where a command was refused, 2 where it was used wrongly.
Without DATABASE_URL a command uses the database of DATA_DIR: the running one, or one that it starts and stops.`;

// Whoever reads may have seen enough: `loyalty export cafe-luna | head -1` is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

try {
  const program = await commandLine();
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

async function commandLine(): Promise<Command> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const program = new Command('loyalty')
    .description('Runs and looks after a loyalty-points service.')
    .version((JSON.parse(manifest) as { version: string }).version)
    .exitOverride()
    .showHelpAfterError('Add --help to see how it is used.')
    .addHelpText('after', NOTES)
    .addHelpText(
      'after',
      examples('serve', 'apply examples/cafe-luna.yaml', 'key create --commerce cafe-luna'),
    );
  addServe(program);
  addMigrate(program);
  addHealthcheck(program);
  addApply(program);
  addExport(program);
  addSchema(program);
  addCommerce(program);
  addKey(program);
  addMembers(program);
  return program;
}

/** Commander has written its own words already; help that was asked for is no error. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  for (const sentence of sentencesOf(error)) complain(sentence);
  return 1;
}
