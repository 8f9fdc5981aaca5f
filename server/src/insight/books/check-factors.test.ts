import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyEarning } from '#test/model/earning.ts';
import * as fc from '#test/random.ts';
import { reported, type Reported } from '#test/random-purchases.ts';
import { linesOf, wholeOf } from '#points/line.ts';
import { NEWCOMER } from '#points/purchase-facts.ts';
import { factorKinds, pointsForPurchase, stepOf, type Step } from '#points/points-for-purchase.ts';
import { checkProgram } from '#program/check-program.ts';
import { rulesOf } from '#program/compile-rules.ts';
import { checkedFactors, figuresBy } from './check-factors.ts';
import { followPurchases } from './past-purchases.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2027, 2, 1);
const MOST = 1_000_000;

/** A program as the books store it, and two purchases by its rule. */
const pairs = fc
  .record({
    earning: anyEarning(START),
    money_per_point: fc.option(fc.integer({ min: 1, max: 10_000_000 }).map((value) => value / 1000)),
    multiplier: fc.integer({ min: 0, max: 10_000 }).map((value) => value / 1000),
    purchases: fc.tuple(purchase(), purchase()),
  })
  .map(({ earning, money_per_point, multiplier, purchases }) => {
    const checked = checkProgram({
      slug: 'a',
      name: 'A',
      currency: 'EUR',
      time_zone: 'Europe/Madrid',
      earning: {
        ...earning,
        money_per_point: money_per_point ?? earning.money_per_point,
        max_amount: MOST,
      },
      levels: { ladder: [{ id: 'gold', name: 'Gold', threshold: 0, points_multiplier: multiplier }] },
    });
    assert.ok(checked.ok, JSON.stringify(checked));
    const { program } = checked;
    const rules = rulesOf(program, 1);
    const check = checkedFactors(program, rules.earning.carriesSince);
    const computed = ({ hours, held, waits, ...said }: Purchase) => {
      const carried = waits === null ? null : { thousandths: waits, since: 1 };
      const facts = { ...said, at: new Date(START + hours * HOUR) };
      const { factors } = pointsForPurchase({
        ...facts,
        rules,
        tier: held ? rules.tiers.ladder[0]! : null,
        buyer: { ...NEWCOMER, remainder: carried },
      })!;
      const seen = check.see({
        ...facts,
        tier: held ? program.levels.ladder[0] : undefined,
        ruled: {
          ...facts,
          at: facts.at.getTime(),
          arrived: null,
          count: facts.lines?.length ?? null,
          level: held ? 'gold' : null,
          purchases: 0,
          joinedAt: null,
          remainder: carried && { waits: BigInt(carried.thousandths), since: carried.since },
          past: followPurchases(),
        },
      });
      const part = {
        amount: BigInt(said.amount),
        lines: linesOf(wholeOf(said)).map(([amount, units]) => [BigInt(amount), BigInt(units)] as const),
      };
      return { part, factors, off: (list: readonly Step[]) => check.off(list, seen) };
    };
    return [computed(purchases[0]), computed(purchases[1])] as const;
  });

interface Purchase extends Reported {
  /** Since the start. */
  readonly hours: number;
  /** Whether the member has the tier. */
  readonly held: boolean;
  /** What earlier purchases left, in thousandths. */
  readonly waits: number | null;
}

function purchase(): fc.Arbitrary<Purchase> {
  return fc
    .tuple(
      reported(MOST),
      fc.record({
        hours: fc.nat(24 * 14),
        held: fc.boolean(),
        waits: fc.option(fc.integer({ min: -9_000, max: 9_000 })),
      }),
    )
    .map(([said, more]) => ({ ...said, ...more }));
}

test('the books compute the same figures as the rule, and find its factors in the program', () => {
  fc.assert(
    fc.property(pairs, ([{ part, factors, off }]) => {
      assert.deepEqual(
        figuresBy(factors, part),
        factors.map(([, points]) => BigInt(points)),
      );
      assert.deepEqual(off(factors), []);
    }),
  );
});

test('a factor that differs from the program, is extra or is out of place is found', () => {
  fc.assert(
    fc.property(pairs, fc.nat(), ([{ factors, off }], n) => {
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

test('any value of a factor that is altered is found', () => {
  let tried = 0;
  fc.assert(
    fc.property(pairs, fc.nat(), ([{ factors, off }], n) => {
      const places = factors.flatMap((step, i) =>
        leavesOf(step.slice(2)).map((leaf) => [i, ...leaf] as const),
      );
      const [step, ...leaf] = places[n % places.length]!;
      const [kind, points, ...said] = structuredClone(factors[step]!) as unknown as [
        string,
        number,
        ...unknown[],
      ];
      const holder = leaf
        .slice(0, -1)
        .reduce<unknown>((value, key) => (value as unknown[])[key], said) as unknown[];
      const value = holder[leaf.at(-1)!];
      holder[leaf.at(-1)!] = typeof value === 'number' ? value + 1 : `${String(value)}.`;
      assert.notDeepEqual(off(factors.with(step, [kind, points, ...said] as unknown as Step)), []);
      tried += 1;
    }),
    { numRuns: 500 },
  );
  assert.equal(tried, 500);
});

/** Returns the places of all values in nested lists. */
function leavesOf(value: unknown): number[][] {
  return Array.isArray(value) ? value.flatMap((item, i) => leavesOf(item).map((leaf) => [i, ...leaf])) : [[]];
}

/** The factor of all purchases of a program, or of none. */
const OF_THE_PROGRAM: ReadonlySet<Step[0]> = new Set(['cap']);
/** The factor that says nothing where it is missing: the tier may have expired. */
const MAY_BE_MISSING: ReadonlySet<Step[0]> = new Set(['tier']);

test('each factor is found where another purchase of the same program has it, and missed where it should be', () => {
  const [found, missed] = [new Set<string>(), new Set<string>()];
  for (const [{ factors, off }, other] of fc.sample(pairs, 500))
    for (const kind of factorKinds) {
      const own = stepOf(factors, kind);
      const foreign = stepOf(other.factors, kind);
      const rest = factors.filter((step) => step !== own);
      if (own === undefined && foreign !== undefined) {
        assert.ok(off(inOrder([...rest, foreign])).includes(kind), kind);
        found.add(kind);
      }
      if (own !== undefined && !MAY_BE_MISSING.has(kind)) {
        assert.ok(off(rest).includes(kind), kind);
        missed.add(kind);
      }
    }
  const never = 'server/test/model/earning.ts makes no purchase with it';
  assert.deepEqual([...found, ...OF_THE_PROGRAM].toSorted(), factorKinds.toSorted(), never);
  assert.deepEqual([...missed, ...MAY_BE_MISSING].toSorted(), factorKinds.toSorted(), never);
});

const inOrder = (steps: readonly Step[]): Step[] =>
  steps.toSorted((a, b) => factorKinds.indexOf(a[0]) - factorKinds.indexOf(b[0]));
