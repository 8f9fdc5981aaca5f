/** The output of commands: data on stdout, messages on stderr, colors only on a terminal. */
import { styleText } from 'node:util';

/** The option that every command with data has. */
export interface JsonOption {
  readonly json?: boolean;
}

export const jsonOption = ['--json', 'print JSON even on a terminal'] as const;

/** Prints a command's data: as JSON if that was asked for or another program reads it, else as readable text. */
export function printResult(options: JsonOption, data: unknown, readable: () => string): void {
  const text = options.json === true || !process.stdout.isTTY ? JSON.stringify(data, null, 2) : readable();
  process.stdout.write(text === '' || text.endsWith('\n') ? text : `${text}\n`);
}

/**
 * Ends the process if stdout cannot be written. A reader may stop early: `loyalty export cafe-luna | head -1` is no failure. Whoever has
 * something to stop first listens for `unread` at stdout, and ends the process with its exit code.
 */
export function endWithReader(): void {
  process.stdout.once('error', endProcess);
}

/** From now on the command itself fails if stdout cannot be written, because its output is worth nothing unless it is whole. */
export function failOnLostReader(): void {
  process.stdout.off('error', endProcess);
  process.stdout.on('error', () => {});
}

function endProcess({ code, message }: NodeJS.ErrnoException): void {
  // Each write that follows fails, too.
  process.stdout.on('error', () => {});
  const isLeft = code === 'EPIPE';
  if (!isLeft) printError(`The output is incomplete: ${message}.`);
  process.exitCode = isLeft ? 0 : 1;
  if (!process.stdout.emit('unread')) process.exit();
}

/** Prints a message. */
export function printMessage(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

/** Prints an error message. */
export function printError(sentence: string): void {
  printMessage(styleText('red', sentence, { stream: process.stderr }));
}

/** Writes rows in columns under their headings. Numbers are aligned right. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const widths = headings.map((heading, i) =>
    Math.max(heading.length, ...rows.map((row) => String(row[i]).length)),
  );
  const line = (cells: readonly (string | number)[]) =>
    cells
      .map((cell, i) =>
        typeof cell === 'number' ? String(cell).padStart(widths[i]!) : cell.padEnd(widths[i]!),
      )
      .join('  ')
      .trimEnd();
  return [styleText('bold', line(headings)), ...rows.map(line)].join('\n');
}

/** Writes a number with its noun, such as "1 member" and "2 members". */
export function writeCount(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/** Writes the examples at the end of a command's help. */
export function writeExamples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  loyalty ${line}`).join('\n')}\n`;
}
