/** The page of the command line: what every command says of itself when it is asked for help. */
import type { Command } from 'commander';
import { commandLine } from '../src/cli/command-line.ts';

const HEAD = `<!-- Made by \`npm run docs\` from the commands' own help; change it in server/src/cli. -->

# Command line

In a checkout the program is \`npx --no-install loyalty\`; the examples say \`loyalty\`.
`;

export function commandLinePage(): string {
  return `${HEAD}\n${sections(commandLine(), []).join('\n')}`;
}

/** A command and the commands of it, in the order in which they are listed. */
function sections(command: Command, path: readonly string[]): string[] {
  const title = path.length === 0 ? '' : `## ${path.join(' ')}\n\n`;
  const below = command.commands.flatMap((inner) => sections(inner, [...path, inner.name()]));
  return [`${title}\`\`\`text\n${help(command).trim()}\n\`\`\`\n`, ...below];
}

/** At 80 columns and without colours, whoever asks. */
function help(command: Command): string {
  const written: string[] = [];
  command.configureOutput({
    writeOut: (text) => void written.push(text),
    getOutHelpWidth: () => 80,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return written.join('');
}
