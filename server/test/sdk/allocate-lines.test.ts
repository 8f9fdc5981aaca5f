import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { allocateLines } from '../../../sdk/src/index.ts';

test('a total is shared out by the largest remainder, the first line first', () => {
  assert.deepEqual(allocateLines(100, [34.9, 34.9, 35]), [33, 33, 34]);
  assert.deepEqual(allocateLines(10, [1, 1, 1]), [4, 3, 3]);
  assert.deepEqual(allocateLines(0, [5, 6]), [0, 0]);
  assert.deepEqual(allocateLines(0, []), []);
  assert.throws(() => allocateLines(1, [0, 0]), TypeError);
  assert.throws(() => allocateLines(1.5, [1]), TypeError);
  assert.throws(() => allocateLines(1, [-1]), TypeError);
});

test('the parts always add up to the total, and none is off by a unit or more', () => {
  const prices = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000_000 }), prices, (total, cents) => {
      const sum = cents.reduce((all, one) => all + one, 0);
      fc.pre(sum > 0);
      const amounts = allocateLines(total, cents);
      assert.equal(
        amounts.reduce((all, one) => all + one, 0),
        total,
      );
      for (const [i, amount] of amounts.entries())
        assert.ok(Math.abs(amount - (total * cents[i]!) / sum) < 1);
    }),
  );
});
