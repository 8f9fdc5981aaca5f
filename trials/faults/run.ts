/**
 * `npm run faults [-- --only NAME… --full --seed N --rounds N --results FOLDER --list]`: injects faults into running services
 * and prints one table. With `--full`, as often as the plan says: finished pieces are kept in files, so that it can be
 * stopped and started again, and docs/reliability.md is written from them. Exits with 1 if something did not hold.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startScratchServer } from '../../server/test/postgres.ts';
import { ROOT } from '../../server/test/repository.ts';
import { FAULTS, type Fault } from './plan.ts';
import { addPiece, readPieces, runPiece, sumPieces, type Piece } from './results.ts';
import { HEAD, writeMissingRow, writeReliabilityPage, writeRow } from './table.ts';
import { NeverAnswered } from './world.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    full: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    seed: { type: 'string' },
    rounds: { type: 'string' },
    results: { type: 'string', default: join(import.meta.dirname, 'results') },
  },
});
const names = [...options.only, ...positionals].flatMap((name) => name.split(','));
const unknown = names.filter((name) => !FAULTS.some((fault) => fault.name === name));
if (unknown.length > 0) throw new Error(`no such fault: ${unknown.join(', ')}. There are:\n${listFaults()}`);

/** A piece during which PostgreSQL had no time to answer proves nothing, and is run again. */
const MOST_UNANSWERED_PIECES = 10;
let unanswered = 0;

if (options.list) process.stdout.write(`${listFaults()}\n`);
else if (options.write) writePage();
else await runFaults();

async function runFaults(): Promise<void> {
  process.stdout.write(HEAD);
  const server = await startScratchServer();
  try {
    for (const fault of FAULTS.filter(({ name }) => names.length === 0 || names.includes(name))) {
      const missing = fault.whyNot?.() ?? null;
      if (missing !== null) {
        process.stdout.write(`${writeMissingRow(fault, `not run: ${missing}`)}\n`);
        continue;
      }
      const pieces = options.full
        ? await runInPieces(fault, server.adminUrl)
        : [await run(fault, Number(options.rounds ?? fault.rounds.short), server.adminUrl)];
      const row = sumPieces(pieces);
      process.stdout.write(`${writeRow(fault, row, options.full ? fault.rounds.full : row.rounds)}\n`);
      if (row.failed.length > 0) process.exitCode = 1;
    }
  } finally {
    await server.stop();
  }
  if (options.full) writePage();
}

/** Runs what is left of a fault's full size, piece by piece, and returns the pieces of all runs. */
async function runInPieces(fault: Fault, serverUrl: string): Promise<readonly Piece[]> {
  const { full, piece = full } = fault.rounds;
  for (;;) {
    const pieces = readPieces(options.results, fault.name);
    const done = pieces.reduce((sum, { rounds }) => sum + rounds, 0);
    if (done >= full) return pieces;
    const added = await run(fault, Math.min(piece, full - done), serverUrl).catch((error: unknown) => {
      unanswered += 1;
      if (!(error instanceof NeverAnswered) || unanswered > MOST_UNANSWERED_PIECES) throw error;
      return null;
    });
    if (added === null) continue;
    addPiece(options.results, fault.name, added);
    process.stderr.write(
      `${fault.name}: ${done + added.rounds} of ${full}, ${added.seconds} s, seed ${added.seed}` +
        `${added.failed.map((sentence) => `\n  BROKEN ${sentence}`).join('')}\n`,
    );
  }
}

function run(fault: Fault, rounds: number, serverUrl: string): Promise<Piece> {
  const seed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(options.seed);
  return runPiece(fault, { serverUrl, rounds, seed });
}

function writePage(): void {
  writeFileSync(join(ROOT, 'docs/reliability.md'), writeReliabilityPage(options.results));
}

function listFaults(): string {
  return FAULTS.map(({ name, says }) => `  ${name}: ${says}`).join('\n');
}
