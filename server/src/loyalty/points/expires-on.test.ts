import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import type { ExpirationRules } from '#program/rules.ts';
import { grantDate } from './expires-on.ts';

const none: ExpirationRules = { mode: 'none', months: 0 };
const rolling: ExpirationRules = { mode: 'rolling', months: 12 };
const accumulated: ExpirationRules = { mode: 'accumulated', months: 6 };

const examples: [
  rules: ExpirationRules,
  today: string,
  movedOn: string | null,
  held: string | null,
  cause: 'purchase' | 'reward',
  expiresOn: string,
  why: string,
][] = [
  [none, '2026-11-27', null, null, 'purchase', 'infinity', 'nothing expires'],
  [none, '2026-11-27', '2026-11-01', null, 'reward', 'infinity', 'nothing expires'],
  [rolling, '2026-11-27', '2026-11-01', '2028-01-01', 'purchase', '2027-11-27', '12 months from the grant'],
  [rolling, '2026-11-27', '2026-11-01', '2028-01-01', 'reward', '2027-11-27', '12 months from the grant'],
  [rolling, '2028-02-29', null, null, 'purchase', '2029-02-28', 'clamped'],
  [accumulated, '2026-11-27', null, null, 'purchase', '2027-05-27', '6 months from the purchase'],
  [accumulated, '2026-11-27', '2026-09-10', '2027-03-10', 'purchase', '2027-05-27', 'it moves the date'],
  [
    accumulated,
    '2026-11-27',
    '2026-09-10',
    '2028-01-01',
    'purchase',
    '2028-01-01',
    'never to an earlier day',
  ],
  [
    accumulated,
    '2026-11-27',
    '2027-05-27',
    null,
    'purchase',
    '2027-11-27',
    'late, and moved by the next purchase',
  ],
  [
    accumulated,
    '2026-11-27',
    '2027-05-28',
    '2027-11-28',
    'purchase',
    '2027-05-27',
    'late, and gone before it',
  ],
  [accumulated, '2026-11-27', '2026-09-10', null, 'reward', '2027-03-10', '6 months from the last purchase'],
  [
    accumulated,
    '2026-11-27',
    '2026-09-10',
    '2027-04-01',
    'reward',
    '2027-04-01',
    'the date of the points held',
  ],
  [
    accumulated,
    '2026-11-27',
    null,
    '2027-04-01',
    'reward',
    '2027-04-01',
    'a reward before it has started the date',
  ],
  [accumulated, '2027-03-10', '2026-09-10', null, 'reward', '2027-03-10', 'the last day still counts'],
  [accumulated, '2027-03-11', '2026-09-10', '2027-03-10', 'reward', '2027-09-11', 'the date has passed'],
  [accumulated, '2026-11-27', null, null, 'reward', '2027-05-27', 'no date yet: 6 months from the grant'],
];
for (const [rules, today, movedOn, held, cause, expiresOn, why] of examples) {
  test(`${rules.mode}: a ${cause} on ${today} is good until ${expiresOn}: ${why}`, () => {
    const moving = rules.mode === 'accumulated';
    const lots = held === null ? [] : [{ expiresOn: held, moving, points: 5 }];
    assert.deepEqual(grantDate(rules, today, { lots, movedOn }, cause), { expiresOn, moving });
  });
}

test('no grant is expired on its own day', () => {
  const day = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const rules = fc.record({
    mode: fc.constantFrom('none' as const, 'rolling' as const, 'accumulated' as const),
    months: fc.integer({ min: 1, max: 60 }),
  });
  const cause = fc.constantFrom('purchase' as const, 'reward' as const);
  fc.assert(
    fc.property(rules, day, fc.option(day), cause, (rules, today, movedOn, cause) => {
      const before = movedOn !== null && movedOn > today ? today : movedOn;
      assert.ok(grantDate(rules, today, { lots: [], movedOn: before }, cause).expiresOn >= today);
    }),
  );
});
