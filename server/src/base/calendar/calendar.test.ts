import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import {
  addDays,
  addMonths,
  daysBetween,
  endOfDay,
  localDay,
  startOfDay,
  wholeMonthsBetween,
} from './calendar.ts';

const day = fc
  .date({ min: new Date('1980-01-01'), max: new Date('2090-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const instant = fc.date({ min: new Date('2011-01-02'), max: new Date('2090-12-31'), noInvalidDate: true });
const zone = fc.constantFrom(
  'UTC',
  'America/Argentina/Buenos_Aires',
  'America/Sao_Paulo',
  'America/Havana',
  'Europe/Madrid',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Australia/Lord_Howe',
);

const months: [from: string, months: number, to: string, why: string][] = [
  ['2026-01-15', 1, '2026-02-15', 'the same day'],
  ['2026-01-31', 1, '2026-02-28', 'February 2026 has 28 days'],
  ['2028-01-31', 1, '2028-02-29', 'February 2028 has 29'],
  ['2028-02-29', 12, '2029-02-28', 'no 29 February in 2029'],
  ['2026-10-31', 13, '2027-11-30', 'November has 30'],
  ['2026-11-30', 3, '2027-02-28', 'over the turn of the year'],
];
for (const [from, count, to, why] of months) {
  test(`${from} plus ${count} months is ${to}: ${why}`, () => {
    assert.equal(addMonths(from, count), to);
    assert.equal(wholeMonthsBetween(from, to), count);
  });
}

const left: [from: string, to: string, months: number, days: number][] = [
  ['2026-11-27', '2026-11-27', 0, 0], // the day itself
  ['2026-11-27', '2026-12-26', 0, 29], // 3 days of November and 26 of December
  ['2026-11-27', '2026-12-27', 1, 30],
  ['2026-11-27', '2027-11-26', 11, 364], // one day less than a year
  ['2028-02-28', '2028-03-01', 0, 2], // over 29 February
];
for (const [from, to, wholeMonths, days] of left) {
  test(`from ${from} to ${to} there are ${wholeMonths} whole months and ${days} days`, () => {
    assert.equal(wholeMonthsBetween(from, to), wholeMonths);
    assert.equal(daysBetween(from, to), days);
    assert.equal(addDays(from, days), to);
  });
}

const edges: [zone: string, day: string, start: string, end: string, why: string][] = [
  [
    'America/Argentina/Buenos_Aires',
    '2026-11-27',
    '2026-11-27T03:00:00.000Z',
    '2026-11-28T02:59:59.999Z',
    'UTC-3',
  ],
  ['Europe/Madrid', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z', '23 hours, spring'],
  ['Europe/Madrid', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z', '25 hours, autumn'],
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', '2018-11-05T01:59:59.999Z', 'no midnight'],
  [
    'Pacific/Apia',
    '2011-12-29',
    '2011-12-29T10:00:00.000Z',
    '2011-12-30T09:59:59.999Z',
    'before the lost day',
  ],
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z', '2011-12-30T09:59:59.999Z', 'the lost day'],
  ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z', '2011-12-31T09:59:59.999Z', 'after it'],
];
for (const [timeZone, on, start, end, why] of edges) {
  test(`${on} in ${timeZone} ends at ${end}: ${why}`, () => {
    assert.equal(startOfDay(on, timeZone).toISOString(), start);
    assert.equal(endOfDay(on, timeZone).toISOString(), end);
  });
}

test('the day of an instant depends on the time zone', () => {
  const at = new Date('2026-11-28T01:30:00Z');
  assert.equal(localDay(at, 'America/Argentina/Buenos_Aires'), '2026-11-27');
  assert.equal(localDay(at, 'Europe/Madrid'), '2026-11-28');
});

test('every instant lies within its local day', () => {
  fc.assert(
    fc.property(instant, zone, (at, timeZone) => {
      const on = localDay(at, timeZone);
      assert.ok(startOfDay(on, timeZone) <= at && at <= endOfDay(on, timeZone));
    }),
  );
});

test('between two days there is neither a gap nor an overlap', () => {
  fc.assert(
    fc.property(day, zone, (on, timeZone) => {
      assert.equal(endOfDay(on, timeZone).getTime() + 1, startOfDay(addDays(on, 1), timeZone).getTime());
    }),
  );
});

test('a period of some months has that many whole months left on its first day', () => {
  fc.assert(
    fc.property(day, fc.integer({ min: 0, max: 120 }), (on, count) => {
      assert.equal(wholeMonthsBetween(on, addMonths(on, count)), count);
    }),
  );
});

test('adding more months never gives an earlier day, and neither does starting later', () => {
  fc.assert(
    fc.property(day, day, fc.nat(60), fc.nat(60), (a, b, n, m) => {
      assert.equal(addMonths(a, Math.min(n, m)) <= addMonths(a, Math.max(n, m)), true);
      const [first, second] = a < b ? [a, b] : [b, a];
      assert.ok(addMonths(first, n) <= addMonths(second, n));
    }),
  );
});
