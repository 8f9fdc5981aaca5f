import { Command } from 'commander';
import { addApply } from './apply.ts';
import { addBackup } from './backup.ts';
import { addClock } from './clock.ts';
import { addCommerce } from './commerce.ts';
import { addDoctor } from './doctor.ts';
import { addExport } from './export.ts';
import { addHealthcheck } from './healthcheck.ts';
import { addInit } from './init.ts';
import { addJobs } from './jobs.ts';
import { addKey } from './key.ts';
import { addLedger } from './ledger.ts';
import { addMembers } from './members.ts';
import { addMigrate } from './migrate.ts';
import { addMove } from './move.ts';
import { addMovements } from './movements.ts';
import { addPoints } from './points.ts';
import { addPurchases } from './purchases.ts';
import { addReports } from './reports.ts';
import { addRestore } from './restore.ts';
import { addSchema } from './schema.ts';
import { addServe } from './serve.ts';
import { addSetupLink } from './setup-link.ts';
import { addStaff } from './staff.ts';
import { writeExamples } from './terminal.ts';
import { readVersion } from '#base/version.ts';
import { addWorker } from './worker.ts';

/** Builds the command line. Each command is in the file of its name. Refused commands and wrong usage throw. */
export function buildCommandLine(): Command {
  const program = new Command('loyalty')
    .description('Run and manage a loyalty-points service.')
    .version(readVersion())
    .exitOverride()
    .showHelpAfterError('Add --help for help.')
    .addHelpText('after', NOTES)
    .addHelpText(
      'after',
      writeExamples('init', 'apply examples/cafe-luna.yaml', 'key create --commerce cafe-luna', 'serve'),
    );
  addInit(program);
  addServe(program);
  addWorker(program);
  addMigrate(program);
  addMove(program);
  addHealthcheck(program);
  addDoctor(program);
  addSetupLink(program);
  addApply(program);
  addExport(program);
  addSchema(program);
  addCommerce(program);
  addKey(program);
  addStaff(program);
  addMembers(program);
  addMovements(program);
  addPurchases(program);
  addPoints(program);
  addLedger(program);
  addBackup(program);
  addRestore(program);
  addReports(program);
  addJobs(program);
  addClock(program);
  return program;
}

const NOTES = `
Data goes to stdout: as text on a terminal, as JSON with --json or when another
program reads it. Messages go to stderr. The exit status is 0 for success, 1 if
the command was refused, 2 for wrong usage and 3 for an import that refused some
rows.

Settings come from the environment and from the file .env of the checkout. With
no DATABASE_URL, a command uses the database in DATA_DIR. If it is not running,
the command starts it and stops it again. Only \`serve\` and \`restore\` create
one.`;
