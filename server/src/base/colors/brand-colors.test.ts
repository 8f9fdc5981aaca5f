import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { deriveBrandColors, contrast, DARK_GROUND, LIGHT_GROUND } from './brand-colors.ts';

test('with any shop color, text on it and text in it are readable on light and dark backgrounds', () => {
  const color = fc.integer({ min: 0, max: 0xff_ff_ff }).map((rgb) => `#${rgb.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(color, (brand) => {
      const { onBrand, light, dark } = deriveBrandColors(brand);
      assert.ok(contrast(brand, onBrand) >= 4.5);
      for (const ground of ['#ffffff', LIGHT_GROUND, light.tint])
        assert.ok(contrast(light.accent, ground) >= 4.5, `${light.accent} on ${ground}`);
      for (const ground of ['#000000', DARK_GROUND, dark.tint])
        assert.ok(contrast(dark.accent, ground) >= 4.5, `${dark.accent} on ${ground}`);
      for (const { accent, onAccent, ground, onGround } of [light, dark]) {
        assert.ok(contrast(accent, onAccent) >= 4.5);
        for (const shade of ground)
          assert.ok(contrast(shade, onGround) >= 4.5, `${onGround} on ${shade} of ${brand}`);
      }
    }),
  );
});

test('a color that has to be lighter for dark pages stays a color', () => {
  const spread = (color: string) => {
    const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
    return Math.max(...parts) - Math.min(...parts);
  };
  for (const brand of ['#0f5c6e', '#7a3e9d', '#14532d', '#1e3a8a']) {
    const { accent } = deriveBrandColors(brand).dark;
    assert.ok(spread(accent) >= spread(brand), `${accent} of ${brand}`);
  }
  assert.ok(spread(deriveBrandColors('#0b0a0a').dark.accent) < 16, 'gray stays gray');
});

test('a color that is already readable does not change', () => {
  assert.equal(deriveBrandColors('#0f5c6e').light.accent, '#0f5c6e');
  assert.equal(deriveBrandColors('#ffe08a').dark.accent, '#ffe08a');
});
