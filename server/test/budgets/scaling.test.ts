import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readResults } from '../../../bench/results.ts';
import { INSTALLATIONS, withModel } from '../../../bench/scaling.ts';
import { median } from '../../../bench/statistics.ts';
import { batchAt, costOfPurchase, limitsOf, MOST_OF_WRITER, needsOf } from '../../../bench/scaling-model.ts';
import { read } from '#test/repository.ts';

test('the tables of docs/scaling.md are those of the model', () => {
  const page = read('docs/scaling.md');
  assert.equal(withModel(page), page, 'run `npm run scaling -w bench`');
});

test('the model is within half of the measured processor time of a purchase at 32 and at 64 callers', async () => {
  const { loads } = await readResults();
  for (const name of ['purchase, 32 connections', 'purchase, 64 connections']) {
    const of = (field: 'batch' | 'nodeMicros' | 'postgresMicros') => median(loads[name]![field]!);
    const computed = costOfPurchase(of('batch'));
    for (const [said, seen] of [
      [computed.node, of('nodeMicros')],
      [computed.postgres, of('postgresMicros')],
    ] as const)
      assert.ok(said / seen > 1 / 1.5 && said / seen < 1.5, `${name}: ${said} computed, ${seen} measured`);
  }
});

test('a writer takes more calls a transaction the more arrive, up to its end', () => {
  const rates = [1, 100, 1_000, 5_000, 0.99 * MOST_OF_WRITER];
  const batches = rates.map((rate) => batchAt(rate)!);
  assert.deepEqual(
    batches,
    batches.toSorted((a, b) => a - b),
  );
  assert.equal(batches[0], 1);
  assert.equal(batchAt(1.1 * MOST_OF_WRITER), null);
});

test('ten times the shops need more of everything, and never ten times the processor of a purchase', () => {
  const needs = INSTALLATIONS.slice(0, 6).map((traffic) => needsOf(traffic));
  for (const [i, more] of needs.slice(1).entries()) {
    const less = needs[i]!;
    assert.ok(more.nodeCores > less.nodeCores && more.postgresCores > less.postgresCores);
    assert.ok(more.postgresCores / less.postgresCores <= (more.burst / less.burst) * 1.001);
    assert.ok(limitsOf(more).every(({ used }, limit) => used >= limitsOf(less)[limit]!.used));
  }
});
