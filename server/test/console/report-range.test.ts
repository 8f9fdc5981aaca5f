/** The ranges that the reports of the console name in their addresses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countDays, isDay } from '../../../console/src/reports/days.ts';
import {
  PRESETS,
  queryOfRange,
  readRange,
  shift,
  STEPS,
  stepsFor,
} from '../../../console/src/reports/range.ts';

const TODAYS = ['2026-11-22', '2028-02-29', '2027-01-01', '2026-12-31', '2026-03-31'];

test('the address of a range leads to the same range', () => {
  for (const today of TODAYS)
    for (const preset of PRESETS)
      for (const by of STEPS) {
        const range = readRange(`?range=${preset}&by=${by}`, today);
        assert.ok(range.from <= range.to && range.to <= today, `${preset} at ${today}`);
        assert.deepEqual(readRange(queryOfRange(range), today), range);
        const own = readRange(`?from=${range.from}&to=${range.to}&by=${by}`, today);
        assert.deepEqual(own, { ...range, preset: null });
        assert.deepEqual(readRange(queryOfRange(own), today), own);
      }
});

test('an address that names no days, or none of the calendar, is the usual range', () => {
  const usual = readRange('', '2026-11-22');
  assert.deepEqual(usual, { from: '2026-10-24', to: '2026-11-22', by: 'day', preset: '30-days' });
  for (const query of [
    '?from=2026-02-30&to=2026-03-01',
    '?from=2026-11-02&to=2026-11-01',
    '?range=x&by=year',
  ])
    assert.deepEqual(readRange(query, '2026-11-22'), usual, query);
});

test('the ranges before and after are as long, or as many months', () => {
  const today = '2026-11-22';
  const cases = [
    ['2026-11-16', '2026-11-22', -1, '2026-11-09', '2026-11-15'],
    ['2026-02-01', '2026-02-28', -1, '2026-01-01', '2026-01-31'],
    ['2026-01-01', '2026-01-31', 1, '2026-02-01', '2026-02-28'],
    ['2026-11-01', '2026-11-22', -1, '2026-10-01', '2026-10-31'],
    ['2025-01-01', '2025-12-31', -1, '2024-01-01', '2024-12-31'],
    ['2026-10-30', '2026-11-01', 1, '2026-11-02', '2026-11-04'],
  ] as const;
  for (const [from, to, direction, ...expected] of cases) {
    const next = shift({ from, to }, direction, today);
    assert.deepEqual([next.from, next.to], expected);
    assert.ok(isDay(next.from) && isDay(next.to));
  }
});

test('a grouping is offered only if it makes more than one bar and not a thousand', () => {
  for (const today of TODAYS)
    for (const preset of PRESETS) {
      const range = readRange(`?range=${preset}`, today);
      assert.ok(stepsFor(range).includes(range.by), `${preset} at ${today}: ${countDays(range)} days`);
    }
  assert.deepEqual(stepsFor({ from: '2000-01-01', to: '2026-11-22' }), ['month']);
});
