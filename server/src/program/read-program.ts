/**
 * Reads a program file in YAML or JSON. Returns a checked program, or a list of all its problems: each with its line,
 * its column and how to correct it.
 */
import { LineCounter, parseDocument } from 'yaml';
import { checkProgram } from './check-program.ts';
import type { Program } from './program.ts';
import { MAX_VALUES, plainValues } from './plain-values.ts';

/** Lines and columns count from 1. `path` is empty if the problem concerns the whole file. */
export interface FileProblem {
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

export type ReadProgram =
  | { readonly ok: true; readonly program: Program; readonly clock: Date | null }
  | { readonly ok: false; readonly problems: FileProblem[] };

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_PROBLEMS = 100;

/** `clock` is the time at which the clock of a new sandbox starts. It is not part of the program. */
export function readProgram(text: string): ReadProgram {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) return refused([fileProblem('must be at most 1 MiB')]);

  // Each value has a line or a comma of its own, and the library needs seconds for hundreds of thousands of them.
  if (count(text, /[\n,]/g) > MAX_VALUES)
    return refused([fileProblem(`has more than ${MAX_VALUES} lines and commas`)]);

  const lines = new LineCounter();
  // We look for repeated keys below. The library compares every pair of keys, which takes minutes for a large file.
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: false,
  });
  const faults = [...document.errors, ...document.warnings];
  if (faults.some(({ code }) => code === 'RESOURCE_EXHAUSTION'))
    return refused([fileProblem('is nested too deeply')]);
  if (faults.length > 0) return refused(faults.map(({ pos, message }) => place(lines, pos[0], [], message)));
  if (document.contents === null) return refused([fileProblem('is empty')]);

  const plain = plainValues(document);
  const unreadable = plain.problems.filter(({ fatal }) => fatal);
  if (unreadable.length > 0)
    return refused(unreadable.map(({ offset, path, message }) => place(lines, offset, path, message)));
  const checked = checkProgram(plain.value);
  if (checked.ok && plain.problems.length === 0) return checked;
  const problems = checked.ok ? [] : checked.problems;
  return refused([
    ...plain.problems.map(({ offset, path, message }) => place(lines, offset, path, message)),
    ...problems.map(({ path, message, at }) => place(lines, plain.offsetOf(path, at), path, message)),
  ]);
}

/** Returns one line for each problem: `program.yaml:12:5 earning.money_per_point: must be …`. */
export function formatProblems(file: string, problems: readonly FileProblem[]): string {
  return problems
    .map(
      ({ line, column, path, message }) =>
        `${file}:${line}:${column} ${path === '' ? '' : `${path}: `}${message}`,
    )
    .join('\n');
}

function refused(problems: FileProblem[]): ReadProgram {
  const sorted = problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { ok: false, problems: sorted.slice(0, MAX_PROBLEMS) };
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function fileProblem(message: string): FileProblem {
  return { line: 1, column: 1, path: '', message: `the file ${message}` };
}

function place(
  lines: LineCounter,
  offset: number,
  path: readonly (string | number)[],
  message: string,
): FileProblem {
  const { line, col } = lines.linePos(offset);
  const said = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return { line, column: col, path: said.replace(/^\./, ''), message };
}
