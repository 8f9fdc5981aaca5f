import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { earning } from '#test/earning.ts';
import { factorsOf } from './factors-of.ts';
import { pointsForPurchase } from './points-for-purchase.ts';

test('a purchase stored by release 0.1 has the factors that today’s release would store', () => {
  const by = fc.record({
    moneyPerPoint: fc.integer({ min: 1, max: 1_000_000 }),
    double: fc.boolean(),
    multiplier: fc.oneof(fc.constant(1000), fc.integer({ min: 0, max: 10_000 })),
  });
  fc.assert(
    fc.property(fc.nat(1_000_000_000), by, (amount, by) => {
      const { factors } = pointsForPurchase(earning(amount, by))!;
      const base = Number((BigInt(amount) * 1000n) / BigInt(by.moneyPerPoint));
      assert.deepEqual(factorsOf({ ...by, base }, 'Gold'), factors);
    }),
  );
});
