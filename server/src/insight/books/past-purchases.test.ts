import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '#test/create-random.ts';
import { followPurchases } from './past-purchases.ts';

const ZONE = 'Europe/Madrid';

test('purchases count in the period in which they were made, whenever it is asked for', () => {
  const past = followPurchases();
  past.purchase(1, Date.parse('2027-01-31T22:30:00Z'), ['latte'], 10, 5);
  const january = { at: Date.parse('2027-01-31T12:00:00Z'), zone: ZONE } as const;
  assert.equal(past.earnedIn({ ...january, per: 'day' }), 5);
  past.purchase(2, Date.parse('2027-01-31T23:30:00Z'), [], 20, 7); // February in Madrid
  past.purchase(3, Date.parse('2027-01-30T10:00:00Z'), ['latte'], 4, 2);
  assert.deepEqual(
    (['day', 'week', 'month', 'ever'] as const).map((per) => past.earnedIn({ ...january, per })),
    [5, 7, 7, 14],
  );
  assert.deepEqual(
    (['day', 'month', 'ever'] as const).map((per) => past.usesIn('latte', { ...january, per })),
    [1, 2, 2],
  );
});

test('a purchase of which nothing is kept does not count, and one that grows earns more', () => {
  const past = followPurchases();
  const ever = { at: 0, per: 'ever', zone: ZONE } as const;
  past.purchase(1, 0, ['latte'], 10, 5);
  past.purchase(2, 1, ['latte'], 10, 5);
  past.change(1, -10, -5);
  past.change(2, 5, 3);
  past.change(3, 5, 3);
  assert.deepEqual([past.earnedIn(ever), past.usesIn('latte', ever)], [8, 1]);
});

test('it says the same as a look at all purchases', () => {
  const random = createRandom(4711);
  const past = followPurchases();
  const all: { at: number; kept: number; earned: number }[] = [];
  for (let i = 0; i < 400; i++) {
    const one = {
      at: Date.parse('2027-03-01') + random.below(60 * 86_400_000),
      kept: 10,
      earned: i,
    };
    if (i > 10 && random.next() < 0.2) {
      const place = random.below(all.length);
      past.change(place, -all[place]!.kept, -all[place]!.earned);
      Object.assign(all[place]!, { kept: 0, earned: 0 });
    }
    past.purchase(all.length, one.at, [], one.kept, one.earned);
    all.push(one);
    for (const per of ['day', 'month'] as const) {
      const period = { at: one.at, per, zone: ZONE };
      const letters = per === 'day' ? 10 : 7;
      const expected = all.filter(
        (other) => other.kept > 0 && dayOf(other.at, letters) === dayOf(one.at, letters),
      );
      assert.equal(
        past.earnedIn(period),
        expected.reduce((sum, { earned }) => sum + earned, 0),
      );
    }
  }
});

/** Returns the first letters of the local day, which are those of its month, too. */
function dayOf(at: number, letters: number): string {
  return new Date(at).toLocaleDateString('sv', { timeZone: ZONE }).slice(0, letters);
}
