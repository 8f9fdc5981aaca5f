import { Command } from 'commander';
import { readVersion } from '#base/version.ts';
import { writeExamples } from './terminal.ts';

/** Each command is in the file of its name. Only the one that is called is loaded; for help, all of them are. */
const COMMANDS: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  init: async () => (await import('./init.ts')).addInit,
  serve: async () => (await import('./serve.ts')).addServe,
  worker: async () => (await import('./worker.ts')).addWorker,
  migrate: async () => (await import('./migrate.ts')).addMigrate,
  move: async () => (await import('./move.ts')).addMove,
  distribute: async () => (await import('./distribute.ts')).addDistribute,
  partition: async () => (await import('./partition.ts')).addPartition,
  healthcheck: async () => (await import('./healthcheck.ts')).addHealthcheck,
  doctor: async () => (await import('./doctor.ts')).addDoctor,
  'setup-link': async () => (await import('./setup-link.ts')).addSetupLink,
  apply: async () => (await import('./apply.ts')).addApply,
  export: async () => (await import('./export.ts')).addExport,
  schema: async () => (await import('./schema.ts')).addSchema,
  commerce: async () => (await import('./commerce.ts')).addCommerce,
  key: async () => (await import('./key.ts')).addKey,
  staff: async () => (await import('./staff.ts')).addStaff,
  members: async () => (await import('./members.ts')).addMembers,
  movements: async () => (await import('./movements.ts')).addMovements,
  purchases: async () => (await import('./purchases.ts')).addPurchases,
  points: async () => (await import('./points.ts')).addPoints,
  events: async () => (await import('./events.ts')).addEvents,
  webhook: async () => (await import('./webhook.ts')).addWebhook,
  ledger: async () => (await import('./ledger.ts')).addLedger,
  backup: async () => (await import('./backup.ts')).addBackup,
  restore: async () => (await import('./restore.ts')).addRestore,
  reports: async () => (await import('./reports.ts')).addReports,
  jobs: async () => (await import('./jobs.ts')).addJobs,
  clock: async () => (await import('./clock.ts')).addClock,
};

/** Builds the command line for these arguments. Refused commands and wrong usage throw. */
export async function buildCommandLine(args: readonly string[]): Promise<Command> {
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
  const named = args.find((argument) => !argument.startsWith('-'));
  const called = Object.entries(COMMANDS).filter(([name]) => name === named);
  const needsNone = args.includes('--version') || args.includes('-V');
  for (const [, load] of needsNone || called.length === 1 ? called : Object.entries(COMMANDS))
    (await load())(program);
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
