import assert from 'node:assert/strict';
import { test } from 'node:test';
import { types } from 'pg';
import * as fc from '#test/random.ts';
import { readStoredInstant } from './stored-instant.ts';

const readByDriver = types.getTypeParser(types.builtins.TIMESTAMPTZ);

test('an instant is read as the driver reads it, whatever its year, fraction and time zone', () => {
  const two = (to: number) => fc.integer({ min: 0, max: to }).map((n) => String(n).padStart(2, '0'));
  const year = fc.integer({ min: 1, max: 12_000 }).map((n) => String(n).padStart(4, '0'));
  const fraction = fc.option(
    fc.integer({ min: 1, max: 999_999 }).map((n) => `.${String(n).padStart(6, '0').replace(/0+$/, '')}`),
    { nil: '' },
  );
  const zone = fc.constantFrom('+00', '+00', '+01', '-03', '+05:30', '-00:01:15', '+00 BC');
  const month = fc.integer({ min: 1, max: 12 }).map((n) => String(n).padStart(2, '0'));
  const day = fc.integer({ min: 1, max: 28 }).map((n) => String(n).padStart(2, '0'));
  fc.assert(
    fc.property(year, month, day, two(23), two(59), two(59), fraction, zone, (y, mo, d, h, mi, s, f, z) => {
      const text = `${y}-${mo}-${d} ${h}:${mi}:${s}${f}${z}`;
      assert.deepEqual(readStoredInstant(text), readByDriver(text), text);
    }),
  );
});

test('instants without an end are read as the driver reads them', () => {
  for (const text of ['infinity', '-infinity']) assert.equal(readStoredInstant(text), readByDriver(text));
});
