import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { createHiddenIds } from './hidden-ids.ts';

const ids = createHiddenIds(Buffer.from('1a19181211100a0908020100', 'hex'));

test('an id is hidden and shown again, and no two ids are hidden alike', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (id) => {
      const hidden = ids.hide(id);
      assert.match(String(hidden), /^\d{15}$/);
      assert.ok(Number.isSafeInteger(hidden));
      assert.equal(ids.show(hidden), id);
    }),
  );
  assert.equal(new Set(Array.from({ length: 10_000 }, (_, id) => ids.hide(id))).size, 10_000);
});

test('a hidden id stays the same for ever, because shops store it', () => {
  // The test vector of Speck48/96.
  assert.equal(ids.hide(0x6d2073696874), 2 ** 48 + 0x735e10b6445d);
});

test('the ids of two calls one after the other say neither their order nor their distance', () => {
  const other = createHiddenIds(randomBytes(12));
  const hidden = Array.from({ length: 4_000 }, (_, id) => other.hide(id));
  const rising = hidden.filter((one, i) => i > 0 && one > hidden[i - 1]!).length;
  assert.ok(rising > 1_800 && rising < 2_200, `${rising} of 3,999 rise`);
  const steps = new Set(hidden.map((one, i) => one - (hidden[i - 1] ?? 0)));
  assert.equal(steps.size, 4_000);
  // Each of the 48 bits is set about as often as not.
  for (let bit = 0; bit < 48; bit += 1) {
    const set = hidden.filter((one) => Math.floor(one / 2 ** bit) % 2 === 1).length;
    assert.ok(set > 1_700 && set < 2_300, `bit ${bit} is set in ${set} of 4,000`);
  }
});

test('a number that was never handed out is not an id', () => {
  for (const number of [-1, 0, 7, 2 ** 48 - 1, 2 ** 49, 2 ** 53 - 1, 0.5, Number.NaN])
    assert.equal(ids.show(number), null);
  assert.throws(() => ids.hide(2 ** 48), RangeError);
});
