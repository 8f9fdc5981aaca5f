import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { read } from '#test/repository.ts';
import type { Outcome } from './fault.ts';
import { createRandom } from './random.ts';
import { addPiece, describePiece, readPieces, sumPieces } from './results.ts';
import { writeReliabilityPage } from './table.ts';

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

test('a long run can be made in pieces: they are kept, and add up', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-results-'));
  t.after(() => rmSync(folder, { recursive: true }));
  assert.deepEqual(readPieces(folder, 'example'), []);
  addPiece(folder, 'example', describePiece(OUTCOME, 1, 2, 3.4));
  const bad = { ...OUTCOME, longestMs: 900, recoveriesMs: [200], failed: ['something broke'] };
  addPiece(folder, 'example', describePiece(bad, 2, 3, 1));
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
