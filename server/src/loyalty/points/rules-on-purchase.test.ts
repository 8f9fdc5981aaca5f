import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkProgram } from '#program/check-program.ts';
import { rulesOf } from '#program/compile-rules.ts';
import type { Earning } from './factors/factor.ts';
import { pointsForPurchase } from './points-for-purchase.ts';
import { NEWCOMER, NOWHERE } from './purchase-facts.ts';
import { shareOut } from './share-out.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A purchase of 10 in Madrid under one rule that gives a point more. */
function under(when: Fields, more: Fields = {}): Earning {
  return underRules([{ id: 'a', title: 'A', when, give: { points: 1 }, ...more }]);
}

function underRules(rules: readonly Fields[], earning: Fields = {}): Earning {
  const checked = checkProgram({
    slug: 'a',
    name: 'A',
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 1, rules, ...earning },
  });
  assert.ok(checked.ok, JSON.stringify(checked));
  const at = new Date('2027-03-02T12:00:00Z');
  return { ...NOWHERE, amount: 10, at, tier: null, rules: rulesOf(checked.program, 1), buyer: NEWCOMER };
}

const holds = (purchase: Earning, change: Partial<Earning> = {}) =>
  pointsForPurchase({ ...purchase, ...change })!.points === 11;
const at = (instant: string) => ({ at: new Date(instant) });

test('hours are those of the shop, with their first minute and without their last', () => {
  const morning = under({ hours: { from: '07:00', to: '10:00' } });
  assert.ok(!holds(morning, at('2027-03-02T05:59:59.999Z')));
  assert.ok(holds(morning, at('2027-03-02T06:00:00Z')));
  assert.ok(holds(morning, at('2027-03-02T08:59:59.999Z')));
  assert.ok(!holds(morning, at('2027-03-02T09:00:00Z')));
  // Summer time begins on 28 March.
  assert.ok(holds(morning, at('2027-03-28T05:00:00Z')));
  assert.ok(!holds(morning, at('2027-03-28T08:00:00Z')));
});

test('the hour that exists twice counts twice, and one that is skipped never comes', () => {
  const night = under({ hours: { from: '02:00', to: '03:00' } });
  // On 31 October, 03:00 is 02:00 again.
  assert.deepEqual(
    ['23:30', '00:30', '01:30', '02:30'].map((time, i) =>
      holds(night, at(`2027-10-${i === 0 ? 30 : 31}T${time}:00Z`)),
    ),
    [false, true, true, false],
  );
  const skipped = ['00:59', '01:00', '01:30', '02:00'].map((time) =>
    holds(night, at(`2027-03-28T${time}:00Z`)),
  );
  assert.deepEqual(skipped, [false, false, false, false]);
});

test('a night belongs to the day on which it begins', () => {
  const friday = under({ weekdays: ['friday'], hours: { from: '22:00', to: '02:00' } });
  assert.ok(!holds(friday, at('2027-03-05T00:30:00Z'))); // Friday 01:30, of the night of Thursday
  assert.ok(holds(friday, at('2027-03-05T21:00:00Z')));
  assert.ok(holds(friday, at('2027-03-06T00:59:00Z')));
  assert.ok(!holds(friday, at('2027-03-06T01:00:00Z')));
  assert.ok(!holds(friday, at('2027-03-06T21:30:00Z')));
  const sunday = under({ weekdays: ['sunday'], hours: { from: '23:00', to: '01:00' } });
  assert.ok(holds(sunday, at('2027-03-07T23:30:00Z'))); // Monday 00:30
  const all = under({ weekdays: ['friday'], hours: { from: '00:00', to: '24:00' } });
  assert.ok(holds(all, at('2027-03-05T22:59:59Z')) && !holds(all, at('2027-03-05T23:00:00Z')));
});

test('a rule begins with its first instant, and its end is no longer part of it', () => {
  const [from, to] = ['2027-03-02T12:00:00Z', '2027-03-03T12:00:00Z'];
  const rule = under({}, { from, to });
  assert.deepEqual(
    ['2027-03-02T11:59:59.999Z', from, '2027-03-03T11:59:59.999Z', to].map((instant) =>
      holds(rule, at(instant)),
    ),
    [false, true, true, false],
  );
  assert.ok(!holds(under({}, { paused: true })));
});

test('the days from joining are days at the shop', () => {
  const rule = under({ joined_days: 2 });
  const joinedAt = new Date('2027-03-01T22:30:00Z'); // 23:30 on 1 March
  const buyer = { ...NEWCOMER, joinedAt };
  assert.ok(holds(rule, { buyer, ...at('2027-03-02T22:59:00Z') }));
  assert.ok(!holds(rule, { buyer, ...at('2027-03-02T23:00:00Z') }));
  assert.ok(!holds(rule, { buyer, ...at('2027-03-01T22:00:00Z') }));
  assert.ok(!holds(rule));
});

test('a limit counts by the week of the shop, which begins on Monday', () => {
  const rule = under({}, { limit: { times: 1, per: 'week' } });
  const bought = (instant: string, used = ['a']) => ({ at: new Date(instant), used, points: 1 });
  const buyer = (...past: ReturnType<typeof bought>[]) => ({ buyer: { ...NEWCOMER, past } });
  assert.ok(!holds(rule, buyer(bought('2027-02-28T23:00:00Z')))); // Monday 00:00
  assert.ok(holds(rule, buyer(bought('2027-02-28T22:59:59Z'), bought('2027-03-02T08:00:00Z', ['b']))));
  // An order that was paid last week and arrives in this one.
  const late = {
    ...buyer(bought('2027-03-02T08:00:00Z')).buyer,
    arrivedAt: new Date('2027-03-02T12:00:00Z'),
  };
  assert.ok(!holds(rule, { buyer: late, ...at('2027-02-27T12:00:00Z') }));
});

test('a line takes the highest multiplier, also below 1, and what is excluded takes none', () => {
  const purchase = underRules(
    [
      { id: 'half', title: 'Half', when: { categories: ['a'] }, give: { multiply: 0.5 } },
      { id: 'fifth', title: 'Fifth', when: { products: ['p'] }, give: { multiply: 0.2 } },
      { id: 'triple', title: 'Triple', when: { categories: ['b', 'c'] }, give: { multiply: 3 } },
    ],
    { exclude: { products: ['x'], discounted: true } },
  );
  const points = (line: object) =>
    pointsForPurchase({ ...purchase, lines: [{ id: '1', amount: 10, ...line }] })!.points;
  assert.equal(points({}), 10);
  assert.equal(points({ categories: ['a'], product: 'p' }), 5);
  assert.equal(points({ product: 'p' }), 2);
  assert.equal(points({ categories: ['a', 'c'] }), 30);
  assert.equal(points({ categories: ['c'], product: 'x' }), 0);
  assert.equal(points({ categories: ['c'], discounted: true }), 0);
});

test('a limit counts no purchase to which the rule gave nothing', () => {
  const limit = { times: 1, per: 'week' };
  const earning = { cap: { points: 20, per: 'day' } };
  const rules = [
    { id: 'more', title: 'More', when: { categories: ['a'] }, give: { multiply: 3 }, limit },
    { id: 'less', title: 'Less', give: { multiply: 2 }, limit },
    { id: 'visit', title: 'Visit', when: { channels: ['web'] }, give: { points: 1 }, limit },
  ];
  const purchase = { ...underRules(rules, earning), channel: 'web' };
  const used = (change: Partial<Earning>) => pointsForPurchase({ ...purchase, ...change })!.used;
  const free = { id: '1', categories: ['a'], amount: 0 };
  const paid = { id: '2', amount: 10 };
  assert.deepEqual(used({ lines: [free, paid] }), ['less', 'visit']);
  assert.deepEqual(used({ lines: [{ ...free, amount: 1 }, paid], amount: 11 }), ['more', 'less', 'visit']);
  // A thing that costs nothing is given points once a purchase, and for each unit, all the same.
  const onFree = underRules([
    { id: 'gift', title: 'Gift', when: { categories: ['a'] }, give: { points: 1 }, limit },
  ]);
  assert.deepEqual(pointsForPurchase({ ...onFree, lines: [free, paid] })!.used, ['gift']);
  const past = (points: number) => ({
    buyer: { ...NEWCOMER, past: [{ at: purchase.at, used: [], points }] },
  });
  assert.deepEqual(used(past(20)), []);
  assert.deepEqual(used(past(19)), ['less', 'visit']);
});

test('multipliers that pass the safe integers together are refused, and the figures before are exact', () => {
  const purchase = underRules([{ id: 'a', title: 'A', give: { multiply: 100 } }]);
  const most = Math.floor(Number.MAX_SAFE_INTEGER / 100);
  assert.equal(pointsForPurchase({ ...purchase, amount: most })!.points, most * 100);
  assert.equal(pointsForPurchase({ ...purchase, amount: most + 1 }), null);
});

test('a share is never above its weight, and the first of equal remainders gets more', () => {
  assert.deepEqual(shareOut(5, [7, 4, 6]), [2, 1, 2]);
  assert.deepEqual(shareOut(1, [1, 1, 1]), [1, 0, 0]);
  assert.deepEqual(shareOut(3, [0, 0]), [3, 0]);
  assert.deepEqual(shareOut(17, [7, 4, 6]), [7, 4, 6]);
});
