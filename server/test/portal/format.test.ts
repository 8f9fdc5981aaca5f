/** How the portal says days and times. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFormat, textsOf } from '../../../portal/src/format.ts';

const NOW = new Date('2026-12-05T09:00:00Z');

test('the end of a code is said with its time, unless it ends a day', () => {
  for (const [due, english, spanish] of [
    ['2026-12-05T09:15:00Z', 'Valid until today, 10:15', 'Válido hasta hoy, 10:15'],
    ['2026-12-06T09:15:00Z', 'Valid until tomorrow, 10:15', 'Válido hasta mañana, 10:15'],
    ['2026-12-08T09:15:00Z', 'Valid until Tuesday, 10:15', 'Válido hasta el martes, 10:15'],
    ['2026-12-16T09:15:00Z', 'Valid until 16 December, 10:15', 'Válido hasta el 16 de diciembre, 10:15'],
    ['2027-03-05T09:15:00Z', 'Valid until 5 March 2027, 10:15', 'Válido hasta el 5 de marzo de 2027, 10:15'],
    // The last instants of the day, by the shop's clock, and the first of the next day.
    ['2026-12-06T22:59:59Z', 'Valid until tomorrow', 'Válido hasta mañana'],
    ['2026-12-16T22:59:59.999Z', 'Valid until 16 December', 'Válido hasta el 16 de diciembre'],
    ['2026-12-16T23:00:00Z', 'Valid until 16 December', 'Válido hasta el 16 de diciembre'],
    ['2026-12-16T22:58:00Z', 'Valid until 16 December, 23:58', 'Válido hasta el 16 de diciembre, 23:58'],
  ] as const)
    for (const [locale, expected] of [
      ['en-GB', english],
      ['es-ES', spanish],
    ] as const) {
      const f = createFormat(locale, 'Europe/Madrid', 'EUR');
      assert.equal(textsOf(locale).dueBy(f.moment(due, NOW, true)), expected, due);
    }
});

test('a beginning is said with its time, unless it begins a day', () => {
  const f = createFormat('en-GB', 'Europe/Madrid', 'EUR');
  assert.equal(f.moment('2026-12-06T23:00:00Z', NOW), 'Monday');
  assert.equal(f.moment('2026-12-06T22:59:59Z', NOW), 'tomorrow, 23:59');
});
