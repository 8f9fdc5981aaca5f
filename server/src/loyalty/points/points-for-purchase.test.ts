import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { earning, type EarningBy } from '#test/earning.ts';
import { pointsByFactors, pointsForPurchase } from './points-for-purchase.ts';

const from = new Date('2026-11-27T03:00:00Z');
const to = new Date('2026-11-30T03:00:00Z');

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
  [100, 1_000, true, 0, 0, '100; × 2 = 200; × 0'],
  [largest, 1_000, false, 1000, largest, '(2^53 - 1) / 1'],
];
for (const [amount, moneyPerPoint, double, multiplier, points, arithmetic] of examples) {
  test(`${amount} spent earns ${points}: ${arithmetic}`, () => {
    assert.equal(pointsForPurchase(earning(amount, { moneyPerPoint, double, multiplier }))?.points, points);
  });
}

test('the applied factors are kept in order, each with the figure after it', () => {
  const by = earning(1750, { moneyPerPoint: 100_000, double: true, multiplier: 1250 });
  assert.deepEqual(pointsForPurchase(by), {
    points: 42,
    used: [],
    factors: [
      ['money', 17, 100_000],
      ['double', 34],
      ['tier', 42, 1250, 'Gold'],
    ],
  });
  assert.deepEqual(pointsForPurchase(earning(1750, { moneyPerPoint: 100_000 }))?.factors, [
    ['money', 17, 100_000],
  ]);
});

test('a double-points window is open from its first instant and shut at its last', () => {
  const purchase = earning(100, { moneyPerPoint: 1_000 });
  const { rules } = purchase;
  const withWindow = { ...rules, earning: { ...rules.earning, doublePoints: [{ from, to }] } };
  const pointsAt = (at: number) =>
    pointsForPurchase({ ...purchase, rules: withWindow, at: new Date(at), tier: null })?.points;
  assert.equal(pointsAt(from.getTime() - 1), 100);
  assert.equal(pointsAt(from.getTime()), 200);
  assert.equal(pointsAt(to.getTime() - 1), 200);
  assert.equal(pointsAt(to.getTime()), 100);
});

test('points beyond a safe integer are refused, not rounded', () => {
  const cheap = (amount: number) => earning(amount, { moneyPerPoint: 1 });
  assert.equal(pointsForPurchase(cheap(largest)), null); // (2^53 - 1) × 1000
  assert.equal(pointsForPurchase(cheap(9_007_199_254_740))?.points, 9_007_199_254_740_000);
  assert.equal(pointsForPurchase(cheap(9_007_199_254_741)), null); // 9007199254741000 > 2^53 - 1
  const by = { moneyPerPoint: 1000, double: true };
  assert.equal(pointsForPurchase(earning(largest, by)), null); // (2^53 - 1) × 2
  assert.equal(pointsForPurchase(earning(largest, { ...by, multiplier: 500 })), null); // a step beyond
});

const amount = fc.nat(1_000_000_000);
const by = fc.record({
  moneyPerPoint: fc.integer({ min: 1, max: 1_000_000 }),
  double: fc.boolean(),
  multiplier: fc.integer({ min: 0, max: 10_000 }),
});

test('the list of factors gives what the formula of release 0.1 gave, for any amount and rule', () => {
  const edge = fc.integer({ min: 1, max: 1_000_000_000_000 });
  const any = fc.record({ moneyPerPoint: edge, double: fc.boolean(), multiplier: fc.nat(1_000_000) });
  fc.assert(
    fc.property(fc.oneof(amount, fc.nat(largest)), fc.oneof(by, any), (amount, by) => {
      assert.equal(pointsForPurchase(earning(amount, by))?.points ?? null, formulaOfRelease01(amount, by));
    }),
    { numRuns: 2_000 },
  );
});

/** The old formula, unchanged except for the shape of its result. */
function formulaOfRelease01(amount: number, by: EarningBy): number | null {
  const { moneyPerPoint, double = false, multiplier = 1000 } = by;
  const base = (BigInt(amount) * 1000n) / BigInt(moneyPerPoint);
  const doubled = double ? base * 2n : base;
  const points = (doubled * BigInt(multiplier)) / 1000n;
  if (doubled > BigInt(largest) || points > BigInt(largest)) return null;
  return Number(points);
}

test('spending more never earns less', () => {
  fc.assert(
    fc.property(amount, amount, by, (a, b, by) => {
      const pointsOf = (amount: number) => pointsForPurchase(earning(amount, by))!.points;
      assert.ok(pointsOf(Math.min(a, b)) <= pointsOf(Math.max(a, b)));
    }),
  );
});

test('a purchase returned in pieces gives back exactly what it earned', () => {
  fc.assert(
    fc.property(amount, fc.array(fc.nat(1_000_000), { maxLength: 6 }), by, (amount, pieces, by) => {
      const { points, factors } = pointsForPurchase(earning(amount, by))!;
      let kept = amount;
      let takenBack = 0;
      for (const piece of [...pieces, Infinity]) {
        const next = Math.max(0, kept - piece);
        const difference = ofAmount(kept, factors) - ofAmount(next, factors);
        assert.ok(difference >= 0);
        takenBack += difference;
        kept = next;
      }
      assert.equal(takenBack, points);
    }),
  );
});

function ofAmount(amount: number, factors: Parameters<typeof pointsByFactors>[1]): number {
  return pointsByFactors({ amount, lines: null }, factors);
}
