import type { Command } from 'commander';
import { createLog } from '#http/log.ts';
import { startBackground } from '../background.ts';
import { examples } from './terminal.ts';
import { withDatabase } from './with-database.ts';

export function addWorker(program: Command): void {
  program
    .command('worker')
    .summary('run the jobs and the mail alone')
    .description(
      'Runs the jobs and sends the mails, without HTTP, until it gets SIGINT or SIGTERM. Any number may run beside any number of services.',
    )
    .addHelpText('after', examples('worker'))
    .action(work);
}

async function work(): Promise<void> {
  // From the first: a signal that comes while the database starts ends the worker once it has.
  const told = new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await withDatabase(
    async (db, config) => {
      const log = createLog({ level: config.logLevel });
      const { publicUrl, host, port } = config;
      const background = startBackground(config, db, log, publicUrl ?? `http://${host}:${port}`);
      log.info('worker started');
      await told;
      await background.stop();
    },
    { endsOnSignal: true },
  );
}
