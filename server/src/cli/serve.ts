import type { Command } from 'commander';
import { examples } from './terminal.ts';

export function addServe(program: Command): void {
  program
    .command('serve')
    .summary('run the service')
    .description(
      'Runs the service until it gets SIGINT or SIGTERM: PostgreSQL where no DATABASE_URL is given, migrations, HTTP.',
    )
    .addHelpText('after', examples('serve', 'serve   # with PORT=8080 in the environment'))
    .action(async () => {
      // The other commands need nothing of the service, and start without loading it.
      const { serve } = await import('../main.ts');
      await serve(process.env);
    });
}
