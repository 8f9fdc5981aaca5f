import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PastPurchase } from '#points/purchase-facts.ts';
import { createRandom } from '#test/create-random.ts';
import { CountedPurchases } from './counted-purchases.ts';

const SEED = 20_261;
const RULES = ['breakfast', 'first', 'monday'];

test(`a limit gets just the purchases that it needs, whatever came late or went back (seed ${SEED})`, () => {
  const random = createRandom(SEED);
  for (let life = 0; life < 50; life++) {
    let counted = new CountedPurchases();
    const known = new Map<number, PastPurchase>();
    for (let id = 1; id <= 60; id++) {
      const [change, gone] = [1 + random.below(id), 1 + random.below(id)];
      // Some are of the same instant, and some were paid long before they arrived.
      const at = new Date(1_000 * (id - random.below(random.pick([1, 3, 40]))));
      const purchase = { at, used: RULES.filter(() => random.below(4) === 0), points: id };
      counted.add(id, purchase);
      known.set(id, purchase);
      if (known.has(change)) {
        counted.setPoints(change, -id);
        known.set(change, { ...known.get(change)!, points: -id });
      }
      if (random.below(4) === 0) {
        counted.delete(gone);
        known.delete(gone);
      }
      if (random.below(10) === 0) counted = counted.fork();

      const from = random.below(3) === 0 ? null : new Date(1_000 * random.below(id + 2));
      const ever = RULES.filter(() => random.below(2) === 0);
      const expected = [...known].filter(
        ([, one]) => (from !== null && one.at >= from) || one.used.some((rule) => ever.includes(rule)),
      );
      const byPoints = (one: PastPurchase, other: PastPurchase) => one.points - other.points;
      assert.deepEqual(
        counted.needed({ from, ever }).sort(byPoints),
        expected.map(([, one]) => one).sort(byPoints),
      );
    }
  }
});

test('what is forked goes on by itself', () => {
  const counted = new CountedPurchases();
  const at = new Date(0);
  counted.add(1, { at, used: ['first'], points: 5 });
  const forked = counted.fork();
  forked.add(2, { at, used: ['first'], points: 7 });
  forked.delete(1);
  assert.deepEqual(counted.needed({ from: at, ever: ['first'] }), [{ at, used: ['first'], points: 5 }]);
  assert.deepEqual(forked.needed({ from: at, ever: ['first'] }), [{ at, used: ['first'], points: 7 }]);
});
