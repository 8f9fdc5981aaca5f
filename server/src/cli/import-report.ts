/** The parts that the reports of imports share. */
import { Option } from 'commander';
import type { TierCount } from '#tiers/tier-counts.ts';
import { NEVER_CLOSED } from './read-csv.ts';
import { printError, printMessage, writeCount } from './terminal.ts';

/** The option of an import that leaves out a column. It may be repeated. */
export function ignoreOption(): Option {
  return new Option('--ignore <column>', 'leave out this column of the file; may be repeated')
    .default([], 'none')
    .argParser((column: string, before: readonly string[]) => [...before, column]);
}

/** Tells scripts that rows were refused: some, or so many that nothing or only the beginning was imported. */
export function setExitStatus(refused: readonly LineWithReason[], done: number): void {
  if (refused.length === 0) return;
  const isIncomplete = refused.some(({ reason }) => reason === NEVER_CLOSED);
  process.exitCode = done === 0 || isIncomplete ? 1 : SOME_REFUSED;
}

const SOME_REFUSED = 3;

interface LineWithReason {
  readonly line: number;
  readonly reason: string;
}

/** Prints refused lines as errors and warnings as messages, the first of each kind. */
export function printLines(refused: readonly LineWithReason[], warnings: readonly LineWithReason[]): void {
  for (const [lines, print] of [
    [refused, printError],
    [warnings, printMessage],
  ] as const) {
    for (const { line, reason } of lines.slice(0, MOST_LINES)) print(`line ${line}: ${reason}`);
    const rest = lines.length - MOST_LINES;
    if (rest > 0) print(`… and ${rest} more lines; --json lists all of them.`);
  }
}

const MOST_LINES = 100;

/** Prints a sentence and under it the first of the lines that it is about. */
export function printWarning(sentence: string, lines: readonly string[], total: number): void {
  printMessage(`warning: ${sentence}`);
  const shown = lines.slice(0, MOST_EXAMPLES);
  for (const line of shown) printMessage(`  ${line}`);
  if (total > shown.length) printMessage(`  … and ${total - shown.length} more`);
}

const MOST_EXAMPLES = 20;

/** Writes the effect of an import on tiers. Returns an empty list if it has none. */
export function writeTiers(
  { tiers, tierCodes }: { readonly tiers: readonly TierCount[]; readonly tierCodes: number },
  dryRun: boolean,
): string[] {
  if (tiers.length === 0) return [];
  const counts = tiers.map(({ name, members }) => `${name} ${members}`).join(', ');
  const codes =
    tierCodes === 0
      ? 'No codes for them.'
      : `Codes for them that ${dryRun ? 'would be' : 'were'} issued, valid from now: ${tierCodes}.`;
  return [`Tiers reached, by members: ${counts}. ${codes}`];
}

/** Writes a count with its noun and verb, such as "1 member has" and "2 members have". */
export function writeSubject(count: number, noun: string, one: string, many: string): string {
  return `${writeCount(count, noun)} ${count === 1 ? one : many}`;
}
