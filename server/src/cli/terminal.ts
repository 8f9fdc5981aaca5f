/** What commands write, and where: data to stdout, words to stderr, colours only where people look. */
import { styleText } from 'node:util';

/** The options that every command with data has. */
export interface Json {
  readonly json?: boolean;
}

export const jsonOption = ['--json', 'print JSON on a terminal too'] as const;

/** Writes a command's data: JSON where it was asked for or where another program reads it, else as people read. */
export function answer(options: Json, data: unknown, readable: () => string): void {
  const text = options.json === true || !process.stdout.isTTY ? JSON.stringify(data, null, 2) : readable();
  process.stdout.write(text === '' || text.endsWith('\n') ? text : `${text}\n`);
}

/** Says something that is no data. */
export function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

/** Says what went wrong. */
export function complain(sentence: string): void {
  say(styleText('red', sentence, { stream: process.stderr }));
}

/** Rows under their headings, in columns; numbers stand right. */
export function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
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

/** The examples at the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  loyalty ${line}`).join('\n')}\n`;
}
