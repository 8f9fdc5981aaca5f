import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { readProgram } from '#program/read-program.ts';
import { warningsOfLanguage } from '#program/warnings.ts';
import { writeStarterFile } from '#program/starter-file.ts';
import { tellWriteTrouble } from '#files/tell-trouble.ts';
import { Refusal } from '#base/refusal.ts';
import { guessPlace } from '#set-up/guess-place.ts';
import { readAnswers, whyWrong, withDefaults, type Answers } from './init-answers.ts';
import {
  jsonOption,
  printError,
  printMessage,
  printResult,
  writeExamples,
  type JsonOption,
} from './terminal.ts';

interface Options extends JsonOption {
  readonly name?: string;
  readonly slug?: string;
  readonly currency?: string;
  readonly timeZone?: string;
  readonly locale?: string;
  readonly moneyPerPoint?: string;
  readonly welcomePoints?: string;
  readonly tiers?: boolean;
  readonly sandbox?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
}

export function addInit(program: Command): void {
  program
    .command('init')
    .summary('write a first program file')
    .description(
      'Ask a few questions and write a program file with comments, ready to apply. It asks only for what no option gives. Without a terminal it asks nothing, needs --name or --yes, and takes the defaults for the rest.',
    )
    .argument('[file]', 'file to write; - writes to stdout (default: the slug with .yaml)')
    .option('--name <name>', 'name of the shop, as members see it')
    .option('--slug <slug>', 'permanent name in links and commands (default: made from the name)')
    .option('--currency <code>', "ISO 4217 code, such as EUR (default: that of this machine's region)")
    .option('--time-zone <zone>', "IANA time zone, such as Europe/Madrid (default: this machine's)")
    .option('--locale <tag>', "language of pages and mails, such as es-AR (default: this machine's)")
    .option('--money-per-point <amount>', 'what a member spends for one point (default: a small round sum)')
    .option('--welcome-points <points>', 'points for joining, 0 for none (default: 50)')
    .option('--tiers', 'write three tiers (default)')
    .option('--no-tiers', 'write no tiers')
    .option('--sandbox', 'a commerce for trying things out, with a clock that you can move (default)')
    .option('--no-sandbox', 'a commerce for real members')
    .option('-y, --yes', 'ask nothing and use the defaults')
    .option('--force', 'replace the file if it exists')
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples(
        'init',
        'init --slug corner-shop --name "Corner Shop" --currency EUR --time-zone Europe/Madrid --yes',
        'init - --name "Corner Shop" --yes | loyalty apply - --dry-run',
      ),
    )
    .action(runInit);
}

async function runInit(named: string | undefined, options: Options, command: Command): Promise<void> {
  const place = guessPlace(process.env);
  const given = readOptions(options, (message) => command.error(`error: ${message}`));
  const asks = process.stdin.isTTY && process.stderr.isTTY && options.yes !== true && options.json !== true;
  if (named !== undefined && options.force !== true && !asks) refuseToReplace(named);
  if (!asks && given.name === undefined && options.yes !== true)
    command.error('error: --name is missing: without a terminal nothing is asked (--yes takes "My Shop")');

  const { askQuestions, confirmReplacing } = asks ? await import('./init-questions.ts') : {};
  const answers = askQuestions ? await askQuestions(given, place) : given;
  const starter = withDefaults(answers, place);
  const file = named ?? `${starter.slug}.yaml`;
  const text = writeStarterFile(starter, file === '-' ? 'FILE' : file);
  // The writer and the reader are tested together. If they disagree all the same, nothing wrong is left behind.
  const read = readProgram(text);
  if (!read.ok) throw new Error(`the file would not be valid: ${JSON.stringify(read.problems)}`);
  for (const warning of warningsOfLanguage(starter.locale)) printError(`warning: ${warning}`);
  if (file === '-') return void process.stdout.write(text);

  const mayReplace =
    options.force === true || (existsSync(file) && (await confirmReplacing?.(file)) === true);
  if (!mayReplace) refuseToReplace(file);
  await save(file, text, mayReplace);
  printResult(options, { file, slug: starter.slug }, () => `${file} was written`);
  if (options.json !== true) printMessage(writeNextSteps(file));
}

function refuseToReplace(file: string): void {
  if (file !== '-' && existsSync(file))
    throw new Refusal(`${file} exists. Name another file, or replace it with --force.`);
}

async function save(file: string, text: string, mayReplace: boolean): Promise<void> {
  try {
    await writeFile(file, text, { flag: mayReplace ? 'w' : 'wx' });
  } catch (error) {
    throw new Refusal(`${file} cannot be written: ${tellWriteTrouble(error)}.`);
  }
}

function readOptions(options: Options, refuse: (message: string) => never): Answers {
  const { name, slug, currency, timeZone, locale, moneyPerPoint, welcomePoints, tiers, sandbox } = options;
  const all = { name, slug, currency, timeZone, locale, moneyPerPoint, welcomePoints };
  const texts = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ) as Partial<Record<keyof typeof all, string>>;
  const wrong = Object.entries(texts).flatMap(([field, typed]) => {
    const why = whyWrong(field as keyof typeof all, typed);
    return why === null
      ? []
      : [`--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${why}`];
  });
  if (wrong.length > 0) refuse(wrong.join('\nerror: '));
  return {
    ...readAnswers(texts),
    ...(tiers !== undefined && { tiers }),
    ...(sandbox !== undefined && { sandbox }),
  };
}

function writeNextSteps(file: string): string {
  return `
What next:
  1. Look into ${file}; every part has a comment.
  2. npx --no-install loyalty apply ${file} --dry-run   shows what it would create
  3. npx --no-install loyalty apply ${file}             creates it, while the service runs or after its first start`;
}
