/** How all pages write numbers, days and codes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateFormats, inGroups, moneyFormat, numberFormat, pluralFormat } from '../../../ui/src/format.ts';

test('numbers and money are written in the reader’s language, without cents that are zero', () => {
  assert.equal(numberFormat('en-GB').format(12_345.6789), '12,345.679');
  assert.equal(numberFormat('es-AR').format(12_345), '12.345');
  assert.equal(moneyFormat('en-GB', 'EUR').format(1750), '€1,750');
  assert.equal(moneyFormat('en-GB', 'EUR').format(3.4), '€3.40');
});

test('a day belongs to the time zone of the shop', () => {
  const justAfterMidnight = new Date('2026-06-17T00:30:00Z');
  assert.equal(dateFormats('en-GB', 'UTC').iso.format(justAfterMidnight), '2026-06-17');
  assert.equal(
    dateFormats('en-GB', 'America/Argentina/Buenos_Aires').iso.format(justAfterMidnight),
    '2026-06-16',
  );
  assert.equal(dateFormats('en-GB', 'UTC').shortDay.format(justAfterMidnight), '17 June');
});

test('a day within a week has a name of its own, and only in the direction that was asked for', () => {
  const { recentDay, comingDay } = dateFormats('en-GB', 'UTC');
  const wednesday = new Date('2026-06-17T12:00:00Z');
  assert.deepEqual(
    [-1, 0, 1, 2, 6, 7].map((days) => recentDay(days, wednesday)),
    [null, 'today', 'yesterday', 'Wednesday', 'Wednesday', null],
  );
  assert.deepEqual(
    [-1, 0, 1, 2, 6, 7].map((days) => comingDay(days, wednesday)),
    [null, 'today', 'tomorrow', 'Wednesday', 'Wednesday', null],
  );
});

test('a word takes the form of its number, and the common one where a language has none for many', () => {
  const points = { one: 'punto', other: 'puntos' };
  const plural = pluralFormat('es-AR');
  assert.deepEqual(
    [0, 1, 2, 1_000_000].map((n) => plural(n, points)),
    ['puntos', 'punto', 'puntos', 'puntos'],
  );
  assert.equal(plural(1_000_000, { ...points, many: 'de puntos' }), 'de puntos');
});

test('a code is written in groups that can be read out', () => {
  assert.equal(inGroups(482_915_374), '482 915 374');
  assert.equal(inGroups('12345678901234'), '1234 5678 9012 34');
});
