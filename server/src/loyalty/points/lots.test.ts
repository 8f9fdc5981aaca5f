import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { addDays } from '#calendar/calendar.ts';
import {
  balanceOn,
  expire,
  giveBack,
  grant,
  moveDates,
  redate,
  spend,
  takeBack,
  total,
  type Lot,
  type LotsChange,
} from './lots.ts';

const today = '2026-11-27';
const yesterday = '2026-11-26';

/** Short forms of a lot: on('2026-12-01', 40), moving('2026-12-01', 40), undated(-5). */
const on = (expiresOn: string, points: number): Lot => ({ expiresOn, moving: false, points });
const moving = (expiresOn: string, points: number): Lot => ({ expiresOn, moving: true, points });
const undated = (points: number): Lot => ({ expiresOn: 'infinity', moving: false, points });

const balances: [lots: Lot[], balance: number, arithmetic: string][] = [
  [[], 0, 'nothing'],
  [[on(yesterday, 10), on(today, 20), undated(30)], 50, '20 + 30; the 10 were good until yesterday'],
  [[on(today, 20), moving(today, 5)], 25, '20 + 5, the last day still counts'],
  [[on(yesterday, 10), undated(-7)], -7, 'a debt of 7, and nothing to set against it'],
];
for (const [lots, balance, arithmetic] of balances) {
  test(`a balance of ${balance}: ${arithmetic}`, () => assert.equal(balanceOn(lots, today), balance));
}

const spendings: [points: number, lots: Lot[], left: Lot[] | null, arithmetic: string][] = [
  [
    30,
    [on('2027-01-01', 20), on('2026-12-01', 20)],
    [on('2027-01-01', 10)],
    '20 of December, then 10 of January',
  ],
  [
    5,
    [moving('2026-12-01', 9), on('2026-12-01', 4)],
    [moving('2026-12-01', 8)],
    '4 that stay put, then 1 that moves',
  ],
  [12, [undated(10), on('2030-01-01', 10)], [undated(8)], '10 dated, then 2 undated'],
  [10, [on(yesterday, 50), on(today, 10)], [on(yesterday, 50)], 'the 10 of today; what has expired stays'],
  [11, [on(yesterday, 50), on(today, 10)], null, '10 < 11'],
  [1, [undated(-3)], null, '-3 < 1'],
  [0, [on(today, 10)], [on(today, 10)], 'a gift takes nothing'],
];
for (const [points, lots, left, arithmetic] of spendings) {
  test(`spending ${points}: ${arithmetic}`, () => {
    const change = spend(lots, points, today);
    assert.deepEqual(change && change.lots, left);
    if (change) assert.equal(total(change.split), 0 - points);
  });
}

test('a grant is added to the points of its day', () => {
  assert.deepEqual(grant([on('2027-11-27', 5)], 7, { expiresOn: '2027-11-27', moving: false }), {
    lots: [on('2027-11-27', 12)], // 5 + 7
    split: [on('2027-11-27', 7)],
  });
});

test('a grant pays the debt first', () => {
  const date = { expiresOn: '2027-11-27', moving: true };
  assert.deepEqual(grant([undated(-10)], 25, date), {
    lots: [moving('2027-11-27', 15)], // 25 - 10
    split: [moving('2027-11-27', 15), undated(10)],
  });
  assert.deepEqual(grant([undated(-10)], 4, date).lots, [undated(-6)]); // -10 + 4
});

const bought = [on('2027-06-01', 50)]; // the split of the purchase that is returned
const returns: [
  points: number,
  lots: Lot[],
  policy: 'negative' | 'clamp' | 'refuse',
  left: Lot[] | null,
  arithmetic: string,
][] = [
  [50, [on('2027-01-01', 30), on('2027-06-01', 50)], 'negative', [on('2027-01-01', 30)], 'all still there'],
  [
    50,
    [on('2027-01-01', 30), on('2027-06-01', 40)],
    'negative',
    [on('2027-01-01', 20)],
    '40 of its own, 10 of the earliest',
  ],
  [
    50,
    [on('2027-06-01', 90)],
    'negative',
    [on('2027-06-01', 40)],
    '90 - 50 on a day shared with other purchases',
  ],
  [50, [on('2027-06-01', 20)], 'negative', [undated(-30)], '20 - 50 = -30, a debt'],
  [50, [on('2027-06-01', 20)], 'clamp', [], '20 taken, 30 forgiven'],
  [50, [on('2027-06-01', 20)], 'refuse', null, '20 < 50'],
  [50, [on('2027-06-01', 20), undated(30)], 'refuse', [], '20 + 30 suffice'],
  [50, [undated(-5)], 'negative', [undated(-55)], '-5 - 50'],
  [50, [undated(-5)], 'clamp', [undated(-5)], 'nothing to take, the old debt stays'],
  [50, [on(yesterday, 50)], 'negative', [on(yesterday, 50), undated(-50)], 'what has expired cannot pay'],
];
for (const [points, lots, policy, left, arithmetic] of returns) {
  test(`taking back ${points} (${policy}): ${arithmetic}`, () => {
    const change = takeBack(lots, points, bought, today, policy);
    assert.deepEqual(change && change.lots, left);
  });
}

test('a return follows moving points to the day they moved to', () => {
  // Earned 3 while 100 moved from March to May. Since then all moved to July.
  const purchase = [moving('2027-03-01', -100), moving('2027-05-01', 103)];
  const lots = [on('2027-01-01', 8), moving('2027-07-01', 103)];
  assert.deepEqual(takeBack(lots, 3, purchase, today, 'negative'), {
    lots: [on('2027-01-01', 8), moving('2027-07-01', 100)],
    split: [moving('2027-07-01', -3)],
  });
});

test('a return takes from a day no more than the purchase brought there', () => {
  const purchase = [on('2027-06-01', 30), undated(20)]; // 50, of which 20 paid a debt
  const lots = [on('2027-01-01', 90), on('2027-06-01', 90)];
  assert.deepEqual(takeBack(lots, 50, purchase, today, 'negative')?.lots, [
    on('2027-01-01', 70), // the 20, earliest first
    on('2027-06-01', 60), // 90 - 30
  ]);
});

test('a return without the split of its purchase takes the earliest first', () => {
  assert.deepEqual(takeBack([on('2027-06-01', 9), on('2027-01-01', 9)], 10, null, today, 'negative')?.lots, [
    on('2027-06-01', 8), // 9 of January, 1 of June
  ]);
});

const comings: [split: Lot[], lots: Lot[], back: Lot[], why: string][] = [
  [[on('2027-01-01', -20)], [on('2027-01-01', 5)], [on('2027-01-01', 25)], '5 + 20 on their day'],
  [[on(yesterday, -20)], [], [on('2026-12-27', 20)], 'their day has passed: 30 days from 27 November'],
  [[on(today, -20)], [], [on(today, 20)], 'their last day is today'],
  [[undated(-20)], [], [undated(20)], 'they had no day'],
  [[moving('2027-01-01', -20)], [], [on('2027-01-01', 20)], 'their day, which moves no more'],
  [[on('2027-01-01', -20)], [undated(-15)], [on('2027-01-01', 5)], '20 - 15 of debt'],
];
for (const [split, lots, back, why] of comings) {
  test(`giving back to ${back.map((lot) => lot.expiresOn).join(' and ')}: ${why}`, () => {
    const change = giveBack(lots, split, today);
    assert.deepEqual(change.lots, back);
    assert.equal(total(change.split), -total(split));
  });
}

test('a purchase moves the valid moving lots and nothing else', () => {
  const lots = [on('2026-12-01', 1), moving(yesterday, 2), moving('2026-12-01', 4), moving('2028-01-01', 8)];
  assert.deepEqual(moveDates(lots, '2027-05-27', today), {
    lots: [moving(yesterday, 2), on('2026-12-01', 1), moving('2027-05-27', 4), moving('2028-01-01', 8)],
    split: [moving('2026-12-01', -4), moving('2027-05-27', 4)],
  });
});

test('expired points go to zero once', () => {
  const change = expire([on(yesterday, 10), moving('2026-01-01', 3), on(today, 20), undated(-1)], today);
  assert.deepEqual(change.lots, [on(today, 20), undated(-1)]);
  assert.deepEqual(change.split, [moving('2026-01-01', -3), on(yesterday, -10)]);
  assert.deepEqual(expire(change.lots, today).split, []);
});

test('a change of mode never makes a date earlier', () => {
  const lots = [on(yesterday, 1), on('2027-01-01', 2), on('2028-01-01', 4), undated(8)];
  assert.deepEqual(redate(lots, { expiresOn: '2027-05-27', moving: true }, today).lots, [
    on(yesterday, 1),
    moving('2028-01-01', 14), // all on the latest day that is held
  ]);
  assert.deepEqual(redate(lots, { expiresOn: '2027-05-27', moving: false }, today).lots, [
    on(yesterday, 1),
    on('2027-05-27', 10), // 2 that are earlier, 8 that had no date
    on('2028-01-01', 4),
  ]);
  assert.deepEqual(redate(lots, { expiresOn: 'infinity', moving: false }, today).lots, [
    on(yesterday, 1),
    undated(14),
  ]);
  assert.deepEqual(redate([undated(-5)], { expiresOn: '2027-05-27', moving: false }, today).split, []);
});

// All possible balances: points on any days, or a debt and no other valid points.
const dayNear = fc.integer({ min: -60, max: 400 }).map((days) => addDays(today, days));
const dated = fc.record({
  expiresOn: dayNear,
  moving: fc.boolean(),
  points: fc.integer({ min: 1, max: 200 }),
});
const held = fc
  .tuple(fc.array(dated, { maxLength: 6 }), fc.nat(200))
  .map(([lots, points]) => [...lots, undated(points)]);
const owed = fc.integer({ min: 1, max: 300 }).map((debt) => [on(yesterday, 9), undated(-debt)]);
const lots = fc.oneof({ weight: 4, arbitrary: held }, owed).map((rows) => replay([], rows));
const points = fc.nat(600);
const policy = fc.constantFrom('negative' as const, 'clamp' as const, 'refuse' as const);

/** Adds rows by day and kind: an independent computation of the same lots. */
function replay(lots: readonly Lot[], split: readonly Lot[]): Lot[] {
  const groups = Object.groupBy([...lots, ...split], (lot) => [lot.expiresOn, lot.moving].join(' '));
  return Object.keys(groups)
    .sort()
    .map((key) => ({ ...groups[key]![0]!, points: groups[key]!.reduce((sum, lot) => sum + lot.points, 0) }))
    .filter((lot) => lot.points !== 0);
}

type Step = (lots: readonly Lot[], on: string) => LotsChange | null;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ points, date: dated }).map(
    ({ points, date }): Step =>
      (lots) =>
        grant(lots, points, date),
  ),
  points.map(
    (points): Step =>
      (lots, on) =>
        spend(lots, points, on),
  ),
  fc.record({ points, policy, from: fc.option(lots) }).map(
    ({ points, policy, from }): Step =>
      (lots, on) =>
        takeBack(lots, points, from, on, policy),
  ),
  lots.map(
    (taken): Step =>
      (lots, on) =>
        giveBack(
          lots,
          taken.filter((lot) => lot.points > 0).map((lot) => ({ ...lot, points: -lot.points })),
          on,
        ),
  ),
  dayNear.map(
    (day): Step =>
      (lots, on) =>
        moveDates(lots, day, on),
  ),
  fc.constant<Step>((lots, on) => expire(lots, on)),
  dayNear.map(
    (expiresOn): Step =>
      (lots, on) =>
        redate(lots, { expiresOn, moving: true }, on),
  ),
);

test('replaying all splits gives the lots, and a debt stands alone, after any events in any order', () => {
  fc.assert(
    fc.property(lots, fc.array(fc.tuple(step, fc.nat(20)), { maxLength: 12 }), (start, steps) => {
      let lots: readonly Lot[] = start;
      let day = today;
      for (const [apply, days] of steps) {
        day = addDays(day, days);
        const change = apply(lots, day);
        if (!change) continue;
        assert.deepEqual(change.lots, replay(lots, change.split));
        assert.deepEqual(change.split, replay([], change.split));
        lots = change.lots;
        assert.ok(lots.every((lot) => lot.points > 0 || lot.expiresOn === 'infinity'));
        if (lots.some((lot) => lot.points < 0)) {
          assert.ok(lots.every((lot) => lot.points < 0 || lot.expiresOn < day));
        }
      }
    }),
  );
});

test('an answer does not depend on whether the expiry job has run', () => {
  fc.assert(
    fc.property(lots, step, (lots, apply) => {
      const before = apply(expire(lots, today).lots, today);
      const after = apply(lots, today);
      assert.deepEqual(after && expire(after.lots, today).lots, before && expire(before.lots, today).lots);
    }),
  );
});

test('spending takes exactly the points, the earliest first, or nothing at all', () => {
  fc.assert(
    fc.property(lots, points, (lots, points) => {
      const balance = balanceOn(lots, today);
      const change = spend(lots, points, today);
      assert.equal(change === null, balance < points);
      if (!change) return;
      assert.equal(balanceOn(change.lots, today), balance - points);
      const last = change.split.at(-1);
      if (last)
        assert.ok(change.lots.every((lot) => lot.expiresOn < today || lot.expiresOn >= last.expiresOn));
    }),
  );
});

test('a return takes exactly the points, or forgives what is missing, or refuses', () => {
  fc.assert(
    fc.property(lots, points, fc.option(lots), policy, (lots, points, from, policy) => {
      const balance = balanceOn(lots, today);
      const change = takeBack(lots, points, from, today, policy);
      if (policy === 'refuse' && points > Math.max(0, balance)) return assert.equal(change, null);
      const there = policy === 'clamp' ? Math.min(points, Math.max(0, balance)) : points;
      assert.equal(total(change!.split), 0 - there);
    }),
  );
});

test('the pieces of a return take what the whole would take', () => {
  fc.assert(
    fc.property(lots, points, points, policy, (lots, first, second, policy) => {
      const whole = takeBack(lots, first + second, null, today, policy);
      const piece = takeBack(lots, first, null, today, policy);
      const both = piece && takeBack(piece.lots, second, null, today, policy);
      assert.deepEqual(both?.lots, whole?.lots);
    }),
  );
});

test('spending and giving back on one day changes nothing', () => {
  fc.assert(
    fc.property(held, points, (rows, points) => {
      const lots = replay(
        [],
        rows.filter((lot) => !lot.moving),
      );
      const spent = spend(lots, points, today);
      if (spent) assert.deepEqual(giveBack(spent.lots, spent.split, today).lots, lots);
    }),
  );
});

test('spending and giving back restores the balance, and no point returns with an earlier day', () => {
  fc.assert(
    fc.property(lots, points, fc.nat(500), (lots, points, days) => {
      const spent = spend(lots, points, today);
      if (!spent) return;
      const later = addDays(today, days);
      const back = giveBack(spent.lots, spent.split, later);
      assert.equal(balanceOn(back.lots, later), balanceOn(spent.lots, later) + points);
      // From each day on, at least as many points return as were taken.
      for (const { expiresOn } of spent.split) {
        const from = (split: readonly Lot[]) => total(split.filter((lot) => lot.expiresOn >= expiresOn));
        assert.ok(from(back.split) >= -from(spent.split));
      }
    }),
  );
});

test('moving dates and changing the mode change no balance and move no point to an earlier day', () => {
  fc.assert(
    fc.property(lots, dayNear, fc.boolean(), (lots, day, moving) => {
      const dated = lots.filter((lot) => lot.expiresOn !== 'infinity');
      const target = day < today ? today : day;
      for (const change of [
        moveDates(lots, day, today),
        redate(dated, { expiresOn: target, moving }, today),
      ]) {
        assert.equal(total(change.split), 0);
        // Up to any day, points can only leave: they move from an earlier day to a later one.
        for (const { expiresOn } of change.split) {
          assert.ok(total(change.split.filter((row) => row.expiresOn <= expiresOn)) <= 0);
        }
      }
    }),
  );
});
