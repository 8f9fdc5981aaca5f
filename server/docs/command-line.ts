/** The page of the command line: what every command says of itself when it is asked for help. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LOYALTY = new URL('../src/cli/loyalty.ts', import.meta.url).pathname;

const HEAD = `<!-- Made by \`npm run docs\` from the commands' own help; change it in server/src/cli. -->

# Command line

In a checkout the program is \`npx --no-install loyalty\`; the examples say \`loyalty\`.
`;

export async function commandLinePage(): Promise<string> {
  const sections = await Promise.all((await commands()).map(section));
  return `${HEAD}\n${[await section([]), ...sections].join('\n')}`;
}

/** Every command and every command of a command, in the order in which they are listed. */
async function commands(above: readonly string[] = []): Promise<string[][]> {
  const names = listed(await help(above)).filter((name) => name !== 'help');
  const found = await Promise.all(
    names.map(async (name) => [[...above, name], ...(await commands([...above, name]))]),
  );
  return found.flat();
}

/** The names under "Commands:"; lines that go on from the one above are indented further. */
function listed(text: string): string[] {
  const list = /^Commands:\n((?: .*\n?)+)/m.exec(text)?.[1] ?? '';
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map((match) => match[1]!);
}

async function section(command: readonly string[]): Promise<string> {
  const title = command.length === 0 ? '' : `## ${command.join(' ')}\n\n`;
  return `${title}\`\`\`text\n${(await help(command)).trim()}\n\`\`\`\n`;
}

const asked = new Map<string, Promise<string>>();

function help(command: readonly string[]): Promise<string> {
  const name = command.join(' ');
  // Not a terminal, so 80 columns whoever asks.
  const answer =
    asked.get(name) ?? run(process.execPath, [LOYALTY, ...command, '--help']).then((out) => out.stdout);
  asked.set(name, answer);
  return answer;
}
