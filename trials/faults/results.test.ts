import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { read } from '../../server/test/repository.ts';
import type { Outcome } from './fault.ts';
import { createRandom } from '../../server/test/create-random.ts';
import { addPiece, describePiece, readPieces, runPiece, sumPieces } from './results.ts';
import { writeReliabilityPage } from './table.ts';
import { NeverAnswered } from './world.ts';

const OUTCOME: Outcome = {
  fault: 'an example',
  calls: 10,
  statuses: { 201: 9, 503: 1 },
  longestMs: 700,
  recoveriesMs: [300, 100],
  books: {
    acknowledged: 9,
    lost: 0,
    doubled: 0,
    refusedButStored: 0,
    unknown: 0,
    settled: 2,
    differences: 0,
    overdrafts: 0,
    overLimit: 0,
    burnedTwice: 0,
    wrong: [],
  },
  figures: { 'service kills': 2 },
  failed: [],
  late: [],
};

const QUIET = { seed: 1, rounds: 1, seconds: 1, takenByOthers: 0.1 };

test('a long run can be made in pieces: they are kept, and add up', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-results-'));
  t.after(() => rmSync(folder, { recursive: true }));
  assert.deepEqual(readPieces(folder, 'example'), []);
  addPiece(folder, 'example', describePiece(OUTCOME, { ...QUIET, seed: 1, rounds: 2 }));
  const bad = { ...OUTCOME, longestMs: 900, recoveriesMs: [200], failed: ['something broke'] };
  addPiece(folder, 'example', describePiece(bad, { ...QUIET, seed: 2, rounds: 3 }));
  const { rounds, pieces, statuses, longestMs, recoveriesMs, figures, failed, books } = sumPieces(
    readPieces(folder, 'example'),
  );
  assert.deepEqual(
    { rounds, pieces, statuses, longestMs, recoveriesMs, figures, failed },
    {
      rounds: 5,
      pieces: 2,
      statuses: { 201: 18, 503: 2 },
      longestMs: 900,
      recoveriesMs: [100, 200, 300],
      figures: { 'service kills': 4 },
      failed: ['something broke'],
    },
  );
  assert.deepEqual([books.acknowledged, books.settled], [18, 4]);
});

test('a piece that breaks off is kept as failed, and only a PostgreSQL without time to answer is no piece', async () => {
  const breaking = (error: Error) => {
    const run = async () => {
      throw error;
    };
    return runPiece({ name: 'example', run }, { serverUrl: '', rounds: 3, seed: 1 });
  };
  const piece = await breaking(new Error('writes went on although the storage fails'));
  assert.deepEqual(
    [piece.rounds, piece.failed],
    [3, ['it broke off: writes went on although the storage fails']],
  );
  await assert.rejects(breaking(new NeverAnswered()), NeverAnswered);
});

test('what is late is excused by what others do on the machine, and never by the load of the bench itself', () => {
  const late = { ...OUTCOME, late: ['a call waited 9000 ms'] };
  const judge = (takenByOthers: number) => describePiece(late, { ...QUIET, takenByOthers });
  assert.deepEqual(judge(0.1).failed, late.late);
  assert.deepEqual([judge(0.9).failed, judge(0.9).late], [[], late.late]);
});

test('counts of failures add up over the pieces, and what a log said cannot change the page', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-results-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const line = '2026/11/22 15:37:47 [error] 1#1: *45 recv() failed | <script>, request: "POST /v1 HTTP/1.1"';
  for (const failed of [['2 calls got 502', line], ['2 calls got 502'], ['a | b <c>\nd'], []])
    addPiece(folder, 'kills', describePiece({ ...OUTCOME, failed }, QUIET));
  const page = writeReliabilityPage(folder);
  assert.match(page, /\| \*\*fails\*\* in 3 of 4: 4 calls got 502; a \\\| b \\<c\\> \|$/m);
  assert.match(page, /\*\*Something did not hold in `kills`\*\*/);
  assert.doesNotMatch(page, /recv/);
});

test('a fault that was not run is said not to be run, and has no figure in the headline', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-results-'));
  t.after(() => rmSync(folder, { recursive: true }));
  addPiece(folder, 'kills', describePiece(OUTCOME, QUIET));
  const page = writeReliabilityPage(folder);
  assert.match(page, /^\| kill -9 of a service \| 2 \|$/m);
  assert.doesNotMatch(page, /^\| (failovers|panics)/m);
  assert.match(page, /^\| `failover` \| not run yet \|/m);
});

test('a seed repeats the choices of a run', () => {
  const drawn = [1, 1, 2].map((seed) => {
    const random = createRandom(seed);
    return Array.from({ length: 20 }, () => random.below(1_000));
  });
  assert.deepEqual(drawn[0], drawn[1]);
  assert.notDeepEqual(drawn[0], drawn[2]);
});

test('docs/reliability.md is what the kept runs have shown; where it is not, `npm run faults -- --write` writes it again', () => {
  assert.equal(read('docs/reliability.md'), writeReliabilityPage(join(import.meta.dirname, 'results')));
});
