import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addApply } from './apply.ts';
import { addClock } from './clock.ts';
import { addCommerce } from './commerce.ts';
import { addExport } from './export.ts';
import { addHealthcheck } from './healthcheck.ts';
import { addJobs } from './jobs.ts';
import { addKey } from './key.ts';
import { addLedger } from './ledger.ts';
import { addMembers } from './members.ts';
import { addMigrate } from './migrate.ts';
import { addPurchases } from './purchases.ts';
import { addSchema } from './schema.ts';
import { addServe } from './serve.ts';
import { examples } from './terminal.ts';
import { addWorker } from './worker.ts';

/** All commands, each in the file of its name. A command that is refused throws; so does wrong usage. */
export function commandLine(): Command {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
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
  addWorker(program);
  addMigrate(program);
  addHealthcheck(program);
  addApply(program);
  addExport(program);
  addSchema(program);
  addCommerce(program);
  addKey(program);
  addMembers(program);
  addPurchases(program);
  addLedger(program);
  addJobs(program);
  addClock(program);
  return program;
}

const NOTES = `
Data goes to stdout: readable on a terminal, JSON with --json and wherever it is read by another program.
Words go to stderr. The exit status is 0, 1 where a command was refused, 2 where it was used wrongly.
Without DATABASE_URL a command uses the database of DATA_DIR: the running one, or one that it starts and stops.`;
