/** The results of the runs of a fault, kept in one file for each fault, so that a long run can be made in pieces. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withoutLoad, type Outcome } from './fault.ts';
import type { Fault } from './plan.ts';
import { createRandom } from '../../server/test/create-random.ts';
import { NeverAnswered } from './world.ts';

/** One run of some rounds of a fault, with a seed of its own. */
export interface Piece extends Outcome {
  readonly seed: number;
  readonly rounds: number;
  readonly at: string;
  readonly commit: string;
  /** Processes that wanted a core, on average of the last minute. The bench's own are among them. */
  readonly machineLoad: number;
  /** The share of the machine that others took just before or just after the run. Pieces of the first days have none. */
  readonly takenByOthers?: number;
  readonly seconds: number;
}

/** All pieces of a fault together: a row of the table. */
export interface Row extends Omit<Outcome, 'books'> {
  readonly books: Omit<Outcome['books'], 'wrong'>;
  readonly rounds: number;
  readonly pieces: number;
  /** Number of pieces in which something did not hold. */
  readonly failedPieces: number;
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

/**
 * Runs rounds of a fault with a seed. A run that throws has shown that something does not hold, or nothing at all: either way, it is
 * kept, and counts as failed.
 * @throws NeverAnswered if the machine had no time for PostgreSQL, which says nothing
 */
export async function runPiece(
  fault: Pick<Fault, 'name' | 'run'>,
  { serverUrl, rounds, seed }: { serverUrl: string; rounds: number; seed: number },
): Promise<Piece> {
  const before = await measureOthers();
  const startedAt = performance.now();
  const outcome = await fault
    .run({ serverUrl, rounds, random: createRandom(seed) })
    .catch((error: unknown) => {
      if (error instanceof NeverAnswered) throw error;
      process.stderr.write(`${fault.name}: ${(error as Error).stack}\n`);
      return withoutLoad(fault.name, [`it broke off: ${(error as Error).message}`], {});
    });
  const seconds = (performance.now() - startedAt) / 1_000;
  return describePiece(outcome, {
    seed,
    rounds,
    seconds,
    takenByOthers: Math.max(before, await measureOthers()),
  });
}

interface Circumstances {
  readonly seed: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly takenByOthers: number;
}

/** Returns a piece that names where and when it was made. Late steps count as failed unless others were busy on the machine. */
export function describePiece(
  outcome: Outcome,
  { seed, rounds, seconds, takenByOthers }: Circumstances,
): Piece {
  const isBusy = takenByOthers > BUSY;
  return {
    seed,
    rounds,
    at: new Date().toISOString().slice(0, 16),
    commit: readCommit(),
    machineLoad: Math.round(loadavg()[0]! * 10) / 10,
    takenByOthers: Math.round(takenByOthers * 100) / 100,
    seconds: Math.round(seconds),
    ...outcome,
    ...(!isBusy && { failed: [...outcome.failed, ...outcome.late], late: [] }),
  };
}

/** The share of the machine that others may take before waits say nothing about the service. */
const BUSY = 0.5;

/** Returns which share of the machine is in use while nothing of a run is there: what the run needs must not excuse it. */
async function measureOthers(): Promise<number> {
  const before = readTimes();
  await sleep(500);
  const after = readTimes();
  return 1 - (after.idle - before.idle) / Math.max(1, after.all - before.all);
}

/** The time that all processors have spent since the machine started, in milliseconds. */
function readTimes(): { idle: number; all: number } {
  let [idle, all] = [0, 0];
  for (const { times } of cpus()) {
    idle += times.idle;
    all += Object.values(times).reduce((sum, ms) => sum + ms, 0);
  }
  return { idle, all };
}

/** @throws if there is no piece */
export function sumPieces(pieces: readonly Piece[]): Row {
  const [first] = pieces as [Piece];
  const sum = (value: (piece: Piece) => number) => pieces.reduce((total, piece) => total + value(piece), 0);
  return {
    fault: first.fault,
    rounds: sum(({ rounds }) => rounds),
    pieces: pieces.length,
    failedPieces: pieces.filter(({ failed }) => failed.length > 0).length,
    firstSeed: first.seed,
    calls: sum(({ calls }) => calls),
    statuses: sumCounts(pieces.map(({ statuses }) => statuses)),
    longestMs: Math.max(...pieces.map(({ longestMs }) => longestMs)),
    recoveriesMs: pieces.flatMap(({ recoveriesMs }) => recoveriesMs).toSorted((a, b) => a - b),
    figures: sumCounts(pieces.map(({ figures }) => figures)),
    failed: addUpSentences(pieces.flatMap(({ failed }) => failed)),
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

/** Returns each sentence once. Those that begin with a number are added up. */
function addUpSentences(sentences: readonly string[]): string[] {
  const counts = new Map<string, number | null>();
  for (const sentence of sentences) {
    const [, count, rest] = /^(\d+) (.+)$/s.exec(sentence) ?? [];
    if (rest === undefined) counts.set(sentence, null);
    else counts.set(rest, (counts.get(rest) ?? 0) + Number(count));
  }
  return [...counts].map(([rest, count]) => (count === null ? rest : `${count} ${rest}`));
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
