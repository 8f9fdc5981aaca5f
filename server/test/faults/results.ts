/** What runs of a fault have shown, kept in one file for each fault, so that a long run can be made in pieces. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from './fault.ts';

/** One run of some rounds of a fault, with a seed of its own. */
export interface Piece extends Outcome {
  readonly seed: number;
  readonly rounds: number;
  readonly at: string;
  readonly commit: string;
  /** Processes that wanted a core, on average of the last minute. */
  readonly machineLoad: number;
  readonly seconds: number;
}

/** All pieces of a fault together: a row of the table. */
export interface Row extends Omit<Outcome, 'books'> {
  readonly books: Omit<Outcome['books'], 'wrong'>;
  readonly rounds: number;
  readonly pieces: number;
  readonly firstSeed: number;
  readonly machineLoad: number;
}

export function readPieces(folder: string, name: string): Piece[] {
  const path = join(folder, `${name}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Piece[]) : [];
}

/** Adds a piece. A kill in the middle leaves the file as it was. */
export function addPiece(folder: string, name: string, piece: Piece): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.json`);
  const lines = [...readPieces(folder, name), piece].map((each) => JSON.stringify(each));
  writeFileSync(`${path}.new`, `[\n${lines.join(',\n')}\n]\n`);
  renameSync(`${path}.new`, path);
}

/** Returns a piece that names where and when it was made. What was late counts as failed unless the machine was busy. */
export function describePiece(outcome: Outcome, seed: number, rounds: number, seconds: number): Piece {
  const isBusy = loadavg()[0]! > BUSY * availableParallelism();
  return {
    seed,
    rounds,
    at: new Date().toISOString().slice(0, 16),
    commit: readCommit(),
    machineLoad: Math.round(loadavg()[0]! * 10) / 10,
    seconds: Math.round(seconds),
    ...outcome,
    ...(!isBusy && { failed: [...outcome.failed, ...outcome.late], late: [] }),
  };
}

/** Processes that want each core, from which on waits say nothing about the service. */
const BUSY = 2;

/** @throws if there is no piece */
export function sumPieces(pieces: readonly Piece[]): Row {
  const [first] = pieces as [Piece];
  const sum = (value: (piece: Piece) => number) => pieces.reduce((total, piece) => total + value(piece), 0);
  return {
    fault: first.fault,
    rounds: sum(({ rounds }) => rounds),
    pieces: pieces.length,
    firstSeed: first.seed,
    calls: sum(({ calls }) => calls),
    statuses: sumCounts(pieces.map(({ statuses }) => statuses)),
    longestMs: Math.max(...pieces.map(({ longestMs }) => longestMs)),
    recoveriesMs: pieces.flatMap(({ recoveriesMs }) => recoveriesMs).toSorted((a, b) => a - b),
    figures: sumCounts(pieces.map(({ figures }) => figures)),
    failed: [...new Set(pieces.flatMap(({ failed }) => failed))],
    late: pieces.flatMap(({ late }) => late),
    machineLoad: Math.max(...pieces.map(({ machineLoad }) => machineLoad)),
    books: {
      acknowledged: sum(({ books }) => books.acknowledged),
      lost: sum(({ books }) => books.lost),
      doubled: sum(({ books }) => books.doubled),
      refusedButStored: sum(({ books }) => books.refusedButStored),
      unknown: sum(({ books }) => books.unknown),
      settled: sum(({ books }) => books.settled),
      differences: sum(({ books }) => books.differences),
      overdrafts: sum(({ books }) => books.overdrafts),
      overLimit: sum(({ books }) => books.overLimit),
      burnedTwice: sum(({ books }) => books.burnedTwice),
    },
  };
}

function sumCounts(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((each) => Object.entries(each)))
    total[name] = (total[name] ?? 0) + count;
  return total;
}

function readCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}
