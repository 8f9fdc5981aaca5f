import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { deriveBrandColors, contrast, DARK_GROUND, LIGHT_GROUND } from './brand-colors.ts';

test('with any shop colour, text on it and text in it are readable on light and dark backgrounds', () => {
  const color = fc.integer({ min: 0, max: 0xff_ff_ff }).map((rgb) => `#${rgb.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(color, (brand) => {
      const { onBrand, accentOnLight, accentOnDark } = deriveBrandColors(brand);
      assert.ok(contrast(brand, onBrand) >= 4.5);
      for (const ground of ['#ffffff', LIGHT_GROUND]) assert.ok(contrast(accentOnLight, ground) >= 4.5);
      for (const ground of ['#000000', DARK_GROUND]) assert.ok(contrast(accentOnDark, ground) >= 4.5);
    }),
  );
});

test('a colour that is already readable does not change', () => {
  assert.equal(deriveBrandColors('#0f5c6e').accentOnLight, '#0f5c6e');
  assert.equal(deriveBrandColors('#ffe08a').accentOnDark, '#ffe08a');
});
