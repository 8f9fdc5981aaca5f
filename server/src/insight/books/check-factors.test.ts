import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOWHERE } from '#points/purchase-facts.ts';
import * as fc from '#test/random.ts';
import { pointsForPurchase, type Step } from '#points/points-for-purchase.ts';
import { checkProgram } from '#program/check-program.ts';
import { rulesOf } from '#program/compile-rules.ts';
import { checkedFactors, figuresBy } from './check-factors.ts';

const thousandths = (min: number, max: number) => fc.integer({ min, max }).map((value) => value / 1000);
const hour = (n: number) => new Date(Date.UTC(2027, 2, 1, n)).toISOString();

/** A purchase computed by the rule, and the program as the books store it. */
const purchases = fc
  .record({
    amount: fc.integer({ min: 1, max: 1_000_000 }),
    moneyPerPoint: thousandths(1, 10_000_000),
    windows: fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 10 })), { maxLength: 4 }),
    multiplier: thousandths(0, 10_000),
    held: fc.boolean(),
    at: fc.nat(50),
  })
  .map(({ amount, moneyPerPoint, windows, multiplier, held, at: hours }) => {
    const checked = checkProgram({
      slug: 'a',
      name: 'A',
      currency: 'EUR',
      time_zone: 'Europe/Madrid',
      earning: {
        money_per_point: moneyPerPoint,
        max_amount: 1_000_000,
        double_points: windows.map(([from, length]) => ({ from: hour(from), to: hour(from + length) })),
      },
      levels: { ladder: [{ id: 'gold', name: 'Gold', threshold: 0, points_multiplier: multiplier }] },
    });
    assert.ok(checked.ok, JSON.stringify(checked));
    const { program } = checked;
    const rules = rulesOf(program, 1);
    const at = new Date(hour(hours));
    const tier = held ? rules.tiers.ladder[0]! : null;
    const facts = { amount, at, ...NOWHERE };
    const checkedPurchase = { ...facts, tier: held ? program.levels.ladder[0] : undefined };
    const { factors } = pointsForPurchase({ ...facts, rules, tier })!;
    const check = checkedFactors(program);
    const seen = check.see(checkedPurchase);
    return { amount, factors, off: (list: readonly Step[]) => check.off(list, seen) };
  });

test('the books compute the same figures as the rule, and find its factors in the program', () => {
  fc.assert(
    fc.property(purchases, ({ amount, factors, off }) => {
      assert.deepEqual(
        figuresBy(factors, BigInt(amount)),
        factors.map(([, points]) => BigInt(points)),
      );
      assert.deepEqual(off(factors), []);
    }),
  );
});

test('a factor that differs from the program, is extra or is out of place is found', () => {
  fc.assert(
    fc.property(purchases, fc.nat(), ({ factors, off }, n) => {
      const place = n % factors.length;
      const [kind, points, said = 0, ...more] = factors[place]! as readonly [Step[0], number, number?];
      const altered = [kind, points, said + 1, ...more] as unknown as Step;
      assert.deepEqual(off(factors.with(place, altered)), [kind]);
      assert.notDeepEqual(off([...factors, factors[place]!]), []);
      if (factors.length > 1) assert.notDeepEqual(off(factors.toReversed()), []);
      if (kind !== 'tier') assert.notDeepEqual(off(factors.toSpliced(place, 1)), []);
    }),
  );
});
