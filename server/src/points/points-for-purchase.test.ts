import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { EarningRules } from '#program/rules.ts';
import { pointsByRule, pointsForPurchase } from './points-for-purchase.ts';

const from = new Date('2026-11-27T03:00:00Z');
const to = new Date('2026-11-30T03:00:00Z');

function earning(moneyPerPointThousandths: number): EarningRules {
  return { moneyPerPointThousandths, maxAmount: 1e9, returns: 'negative', doublePoints: [{ from, to }] };
}

const largest = Number.MAX_SAFE_INTEGER; // 9007199254740991
const examples: [
  amount: number,
  moneyPerPoint: number,
  double: boolean,
  multiplier: number,
  points: number,
  arithmetic: string,
][] = [
  [1750, 100_000, false, 1000, 17, '1750 / 100 = 17.5 → 17; 17 × 1'],
  [99, 100_000, false, 1000, 0, '99 / 100 = 0.99 → 0'],
  [100, 100_000, false, 1000, 1, '100 / 100 = 1'],
  [1750, 100_000, true, 1000, 34, '17.5 → 17; 17 × 2 = 34, not 35: the money is floored first'],
  [1750, 100_000, false, 1250, 21, '17.5 → 17; 17 × 1.25 = 21.25 → 21'],
  [1750, 100_000, true, 1250, 42, '17; × 2 = 34; × 1.25 = 42.5 → 42'],
  [300, 100_000, false, 1333, 3, '3 × 1.333 = 3.999 → 3'],
  [7, 2_500, false, 1000, 2, '7 / 2.5 = 2.8 → 2'],
  [10, 3, false, 1000, 3333, '10 / 0.003 = 3333.3 → 3333'],
  [29, 100, false, 1000, 290, '29 / 0.1 = 290, where floating point has 289.99…'],
  [100, 1_000, false, 1100, 110, '100 × 1.1 = 110, where floating point has 110.00000000000001'],
  [100, 1_000, false, 1150, 115, '100 × 1.15 = 115, where floating point has 114.99999999999999'],
  [1, 1, false, 1000, 1000, '1 / 0.001 = 1000'],
  [100, 1_000, false, 500, 50, '100 × 0.5'],
  [largest, 1_000, false, 1000, largest, '(2^53 - 1) / 1'],
];
for (const [amount, moneyPerPoint, double, multiplierThousandths, points, arithmetic] of examples) {
  test(`${amount} spent earns ${points}: ${arithmetic}`, () => {
    const at = double ? from : to;
    const result = pointsForPurchase({ amount, at, multiplierThousandths }, earning(moneyPerPoint));
    assert.equal(result?.points, points);
    assert.equal(result.double, double);
  });
}

test('the explanation shows each step', () => {
  const at = new Date('2026-11-28T12:00:00Z');
  assert.deepEqual(pointsForPurchase({ amount: 1750, at, multiplierThousandths: 1250 }, earning(100_000)), {
    base: 17,
    double: true,
    doubled: 34,
    multiplierThousandths: 1250,
    points: 42,
  });
});

test('a double-points window is open from its first instant and shut at its last', () => {
  const opened = (at: number) =>
    pointsForPurchase({ amount: 100, at: new Date(at), multiplierThousandths: 1000 }, earning(1_000))?.double;
  assert.equal(opened(from.getTime() - 1), false);
  assert.equal(opened(from.getTime()), true);
  assert.equal(opened(to.getTime() - 1), true);
  assert.equal(opened(to.getTime()), false);
});

test('points beyond a safe integer are refused, not rounded', () => {
  const rule = { moneyPerPointThousandths: 1, double: false, multiplierThousandths: 1000 };
  assert.equal(pointsByRule(largest, rule), null); // (2^53 - 1) × 1000
  assert.equal(pointsByRule(9_007_199_254_740, rule)?.points, 9_007_199_254_740_000);
  assert.equal(pointsByRule(9_007_199_254_741, rule), null); // 9007199254741000 > 2^53 - 1
  const money = { ...rule, moneyPerPointThousandths: 1000 };
  assert.equal(pointsByRule(largest, { ...money, double: true }), null); // (2^53 - 1) × 2
  assert.equal(pointsByRule(largest, { ...money, double: true, multiplierThousandths: 500 }), null); // a step beyond
});

const amount = fc.nat(1_000_000_000);
const rule = fc.record({
  moneyPerPointThousandths: fc.integer({ min: 1, max: 1_000_000 }),
  double: fc.boolean(),
  multiplierThousandths: fc.integer({ min: 1, max: 10_000 }),
});

test('who spends more never earns less', () => {
  fc.assert(
    fc.property(amount, amount, rule, (a, b, rule) => {
      const [less, more] = [pointsByRule(Math.min(a, b), rule), pointsByRule(Math.max(a, b), rule)];
      assert.ok(less!.points <= more!.points);
    }),
  );
});

test('each floor loses less than one point', () => {
  fc.assert(
    fc.property(amount, rule, (amount, rule) => {
      const { base, doubled, points } = pointsByRule(amount, rule)!;
      const rest = BigInt(amount) * 1000n - BigInt(base) * BigInt(rule.moneyPerPointThousandths);
      assert.ok(rest >= 0n && rest < BigInt(rule.moneyPerPointThousandths));
      const thousandths = BigInt(doubled) * BigInt(rule.multiplierThousandths) - BigInt(points) * 1000n;
      assert.ok(thousandths >= 0n && thousandths < 1000n);
    }),
  );
});

test('a purchase returned in pieces gives back exactly what it earned', () => {
  fc.assert(
    fc.property(amount, fc.array(fc.nat(1_000_000), { maxLength: 6 }), rule, (amount, pieces, rule) => {
      let kept = amount;
      let takenBack = 0;
      for (const piece of [...pieces, Infinity]) {
        const next = Math.max(0, kept - piece);
        const difference = pointsByRule(kept, rule)!.points - pointsByRule(next, rule)!.points;
        assert.ok(difference >= 0);
        takenBack += difference;
        kept = next;
      }
      assert.equal(takenBack, pointsByRule(amount, rule)!.points);
    }),
  );
});
