/** Runs the command line. Exits with 0 for success, 1 if the command was refused and 2 for wrong usage. */
import { CommanderError } from 'commander';
import { buildCommandLine } from './command-line.ts';
import { describeFailure } from '#start/describe-failure.ts';
import { endWithReader, printError } from './terminal.ts';

endWithReader();

try {
  const command = await buildCommandLine(process.argv.slice(2));
  await command.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error);
}

/** Prints an error and returns the exit status. Commander prints its own errors, and throws even for --help. */
function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  printError(describeFailure(error));
  return 1;
}
