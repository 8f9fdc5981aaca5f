import type { Command } from 'commander';
import { openLog } from '#http/log.ts';
import { releaseIdleMemory } from '#base/idle-memory.ts';
import { startBackground } from '#start/background.ts';
import { openMetrics } from '#start/open-metrics.ts';
import { writeExamples } from './terminal.ts';
import { withDatabase } from './with-database.ts';

export function addWorker(program: Command): void {
  program
    .command('worker')
    .summary('run jobs and send mail, without HTTP')
    .description(
      'Run the jobs and send the mails, without HTTP, until SIGINT or SIGTERM. Any number of workers can run next to any number of services.',
    )
    .addHelpText('after', writeExamples('worker', 'worker   # with DATABASE_URL in the environment'))
    .action(runWorker);
}

async function runWorker(): Promise<void> {
  // Listens from the beginning: a signal that comes while the database starts ends the worker once it has started.
  const stopSignal = new Promise((resolve) => {
    process.on('SIGINT', resolve);
    process.on('SIGTERM', resolve);
  });
  await withDatabase(
    async (db, config) => {
      const log = await openLog(config);
      for (const warning of config.warnings) log.warn(warning);
      const { publicUrl, host, port } = config;
      const metrics = await openMetrics(config, db, log);
      metrics?.watchInstallation();
      await metrics?.listen();
      const memory = releaseIdleMemory();
      const background = startBackground(
        config,
        db,
        log,
        publicUrl ?? `http://${host}:${port}`,
        metrics?.counts,
      );
      log.info('worker started');
      await stopSignal;
      memory.stop();
      await background.stop();
      await metrics?.close();
    },
    { endsOnSignal: true },
  );
}
