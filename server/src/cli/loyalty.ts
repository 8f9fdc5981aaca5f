/** The command line: data on stdout, words on stderr; exit 0, 1 where a command was refused, 2 for wrong usage. */
import { CommanderError } from 'commander';
import { commandLine } from './command-line.ts';
import { sentencesOf } from './refusal.ts';
import { complain } from './terminal.ts';

// Whoever reads may have seen enough: `loyalty export cafe-luna | head -1` is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

try {
  await commandLine().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** Commander has written its own words already; help that was asked for is no error. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  for (const sentence of sentencesOf(error)) complain(sentence);
  return 1;
}
