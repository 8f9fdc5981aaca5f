import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { verifyCopy } from '#events/verify-copy.ts';
import { tellTrouble } from '#files/tell-trouble.ts';
import { Refusal } from '#base/refusal.ts';
import { readHeadFile } from './seals.ts';
import {
  jsonOption,
  printError,
  printResult,
  writeCount,
  writeExamples,
  type JsonOption,
} from './terminal.ts';

/** Adds the commands about the feed of events. */
export function addEvents(program: Command): void {
  const events = program
    .command('events')
    .summary('check a copy of the feed of events')
    .description('Check what another system has read from the feed of events.')
    .addHelpText('after', writeExamples('events verify copy.jsonl --head heads.txt'));
  events
    .command('verify')
    .summary('prove that a copy of the feed is complete')
    .description(
      'Check a copy of the feed of one commerce, without a database: no movement may be missing or be there twice, which the places of sealed movements show. The file has one event on each line, in the order of the feed, after the lines of the snapshot if the copy begins with one. --head compares the copy with the published head: it must have as many movements. The exit status is 1 if something is missing.',
    )
    .argument('<file>', 'the copy; - reads stdin')
    .option(
      '--head <file>',
      'a file with the published head of this commerce; of several heads, the largest counts',
    )
    .option(...jsonOption)
    .addHelpText(
      'after',
      writeExamples('events verify copy.jsonl', 'events verify copy.jsonl --head heads.txt --json'),
    )
    .action(runVerify);
}

async function runVerify(file: string, options: JsonOption & { head?: string }): Promise<void> {
  const size = options.head === undefined ? null : await readSize(options.head);
  const { events, movements, provenTo, faults } = await verifyCopy(linesOf(file));
  const isShort = size !== null && movements < size;
  const says = faults.map((fault) => `line ${fault.line}: ${fault.says}`);
  if (isShort)
    says.push(`the head has ${writeCount(size, 'movement')}, and the copy only ${String(movements)}`);
  printResult(options, { events, movements, proven: provenTo, head: size, faults: says }, () =>
    says.length > 0
      ? says.join('\n')
      : `The copy is complete: ${writeCount(events, 'event')}, ${writeCount(movements, 'movement')}, ${writeCount(Math.max(provenTo, size ?? 0), 'movement')} of them proven by their seals.`,
  );
  if (says.length > 0) {
    printError('The copy is incomplete.');
    process.exitCode = 1;
  }
}

async function readSize(file: string): Promise<number> {
  const heads = await readHeadFile(file);
  const origins = new Set(heads.map(({ origin }) => origin));
  if (origins.size > 1)
    throw new Refusal(`${file} has heads of several commerces. Leave only those of the one that was copied.`);
  return Math.max(...heads.map(({ size }) => size));
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    yield* createInterface({ input, crlfDelay: Infinity });
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${tellTrouble(error)}.`);
  }
}
