import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { addDays, daysBetween } from '#calendar/calendar.ts';
import { resolveRange, STEPS } from './report-range.ts';

test('the periods of a range are all of its days in order, and the range before ends the day before it', () => {
  const asked = fc.record({
    start: fc.integer({ min: -800, max: 300 }),
    days: fc.integer({ min: 0, max: 500 }),
    by: fc.constantFrom(...STEPS),
  });
  fc.assert(
    fc.property(asked, ({ start, days, by }) => {
      const from = addDays('2027-03-15', start);
      const to = addDays(from, days);
      const range = resolveRange({ from, to, by }, '2027-03-15');
      for (const [whole, periods] of [
        [range, range.periods],
        [range.before, range.periodsBefore],
      ] as const) {
        assert.equal(periods[0]!.from, whole.from);
        assert.equal(periods.at(-1)!.to, whole.to);
        for (const [i, period] of periods.entries()) {
          assert.ok(period.from <= period.to);
          if (i > 0) assert.equal(period.from, addDays(periods[i - 1]!.to, 1));
        }
      }
      assert.equal(range.before.to, addDays(from, -1));
      const isWholeMonths = from.endsWith('-01') && addDays(to, 1).endsWith('-01');
      if (!isWholeMonths)
        assert.equal(daysBetween(range.before.from, range.before.to), daysBetween(from, to));
      else assert.ok(range.before.from.endsWith('-01'));
    }),
  );
});
