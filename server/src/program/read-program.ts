/**
 * Reads a program file in YAML or JSON. Returns a checked program, or a list of all its problems: each with its line,
 * its column and how to correct it.
 */
import { LineCounter, parseDocument, visit, type Document } from 'yaml';
import { checkProgram } from './check-program.ts';
import type { Program, ProgramProblem } from './program.ts';
import { MAX_VALUES, plainValues } from './plain-values.ts';
import { writePath } from './write-path.ts';

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

  // Each value has a line, a comma or a bracket of its own, and the library needs seconds for hundreds of thousands of them.
  if (count(text, /[\n,{[]/g) > MAX_VALUES)
    return refused([fileProblem(`has more than ${MAX_VALUES} lines, commas and brackets`)]);

  const lines = new LineCounter();
  // We look for repeated keys below. The library compares every pair of keys, which takes minutes for a large file.
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: false,
  });
  const faults = [...document.errors, ...document.warnings].slice(0, MAX_PROBLEMS);
  if (faults.some(({ code }) => code === 'RESOURCE_EXHAUSTION'))
    return refused([fileProblem('is nested too deeply')]);
  const unreadable = withOpenQuote(document, faults)
    .map(({ pos: [offset], message }) => ({ offset, ...place(lines, offset, [], inPlainWords(message)) }))
    // The first fault of a line makes the library find others in it.
    .filter(({ line }, index, all) => all.findIndex((other) => other.line === line) === index);
  if (document.contents === null)
    return refused(unreadable.length > 0 ? unreadable : [fileProblem('is empty')]);

  const plain = plainValues(document);
  const found = plain.problems.map(({ offset, path, message }) => place(lines, offset, path, message));
  if (plain.problems.some(({ effect }) => effect === 'fatal'))
    return refused([...unreadable, ...found.filter((_, i) => plain.problems[i]!.effect === 'fatal')]);

  const broken = [
    ...unreadable.map(({ offset }) => plain.pathAt(offset)),
    ...plain.problems.flatMap(({ effect, path }) => (effect === 'broken' ? [path] : [])),
  ];
  const checked = checkProgram(plain.value, broken);
  if (checked.ok && unreadable.length + found.length === 0) return checked;
  const badLines = new Set(unreadable.map(({ line }) => line));
  // Any problem with the rest of a line that cannot be read is a guess.
  const wrong = (checked.ok ? [] : checked.problems)
    .map(({ path, message, at }) => place(lines, plain.offsetOf(path, at), path, message))
    .filter(({ line }) => !badLines.has(line));
  return refused([...unreadable, ...found, ...wrong]);
}

interface Fault {
  readonly pos: readonly [number, number];
  readonly code: string;
  readonly message: string;
}

/**
 * Moves the fault of a quote that is never closed to where it opens: the library reports where it gave up. Faults in
 * between come from it.
 */
function withOpenQuote(document: Document.Parsed, faults: readonly Fault[]): readonly Fault[] {
  const fault = faults.find(({ message }) => /^Missing closing ["']quote/.test(message));
  if (fault === undefined) return faults;
  const [end] = fault.pos;
  const starts: number[] = [];
  visit(document, {
    Scalar(_key, { type, range }) {
      const isQuoted = type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE';
      if (isQuoted && range && range[0] < end && end <= range[1]) starts.push(range[0]);
    },
  });
  const [start] = starts;
  if (start === undefined) return faults;
  const opened = {
    ...fault,
    pos: [start, start + 1] as const,
    message: 'the quote that opens here is never closed',
  };
  return [opened, ...faults.filter(({ pos: [at] }) => at < start || at > end)];
}

/** The library speaks the language of the YAML specification. */
function inPlainWords(message: string): string {
  const found = PLAIN_WORDS.find(([beginning]) => message.startsWith(beginning));
  return found?.[1] ?? message;
}

const PLAIN_WORDS = [
  [
    'Nested mappings are not allowed',
    'this line is indented too far, or a text in it contains a colon and needs quotes',
  ],
  ['Tabs are not allowed', 'is indented with a tab; indent with spaces'],
  ['All ', 'this line is indented differently from its neighbours'],
  ['Flow map', 'the { before this is never closed with }, or what is inside is not indented'],
  ['Flow sequence', 'the [ before this is never closed with ], or what is inside is not indented'],
] as const;

/** Places problems of a valid file that are found later, such as those with the commerce that it is applied to. */
export function placeProblems(text: string, problems: readonly ProgramProblem[]): FileProblem[] {
  const lines = new LineCounter();
  const plain = plainValues(parseDocument(text, { lineCounter: lines, stringKeys: true }));
  return problems.map(({ path, message, at }) => place(lines, plain.offsetOf(path, at), path, message));
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
  const sorted = problems
    .map(({ line, column, path, message }) => ({ line, column, path, message }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
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
  return { line, column: col, path: writePath(path), message };
}
