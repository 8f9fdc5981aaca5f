import type { Command } from 'commander';
import { writeExamples } from './terminal.ts';

export function addServe(program: Command): void {
  program
    .command('serve')
    .summary('run the service')
    .description(
      'Run the service until SIGINT or SIGTERM: start PostgreSQL if DATABASE_URL is not set, update the database schema and serve HTTP.',
    )
    .addHelpText('after', writeExamples('serve', 'serve   # with PORT=8080 in the environment'))
    .action(async () => {
      // Imported here so that the other commands start without loading the service.
      const { serve } = await import('#start/main.ts');
      await serve(process.env);
    });
}
