/** Amounts as a cashier types them, in the separators of any language. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { amountOf, changeAmount, codeIn, readPasted, writeAmount } from '../../../console/src/amount.ts';

const LOCALES = ['en', 'en-IN', 'es', 'es-AR', 'es-MX', 'es-CR', 'en-ZA', 'en-CH'];

/** Types key after key at the end of the field, as a browser reports it. */
function type(keys: string, locale: string): string {
  let raw = '';
  for (const data of keys) {
    const text = writeAmount(raw, locale) + data;
    raw = changeAmount({ text, caret: text.length, data, inputType: 'insertText' }, locale);
  }
  return raw;
}

test('a second decimal sign never multiplies: it stays where it was typed, and nothing is read out of it', () => {
  for (const locale of LOCALES)
    for (const keys of ['12.50.', '1.505.', '12,50,', '12.50,', '12..50', '1.5.0.5', '.12.'])
      assert.equal(amountOf(type(keys, locale), 2), 'unclear', `${keys} in ${locale}`);
  assert.equal(writeAmount(type('12.50.', 'en'), 'en'), '12.50.');
});

test('whatever is typed is read digit by digit, or not at all, in every language', () => {
  const keys = fc.string({ unit: fc.constantFrom(...Array.from('0123456789.,')), maxLength: 14 });
  fc.assert(
    fc.property(keys, fc.constantFrom(...LOCALES), fc.constantFrom(0, 2, 3), (typed, locale, decimals) => {
      const read = amountOf(type(typed, locale), decimals);
      const [units = '', fraction = '', ...others] = typed.split(/[.,]/);
      if (others.length > 0) return assert.equal(typeof read, 'string', 'two signs are never read');
      if (typeof read === 'string') return;
      assert.equal(read.units, Number(units));
      assert.equal(read.cents, Math.round(Number(`0.${fraction}`) * 10 ** decimals));
    }),
  );
});

test('an amount written by the rules of any language is read as what it says', () => {
  const cents = fc.constantFrom(0, 5, 50, 99);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 ** 12 }),
      cents,
      fc.constantFrom(...LOCALES),
      (units, over, locale) => {
        const written = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, useGrouping: 'always' });
        // Indian thousands and lakhs are no groups of three.
        if (locale === 'en-IN' && units > 99_999) return;
        const text = `€ ${written.format(units)}`.slice(0, -2) + String(over).padStart(2, '0');
        assert.deepEqual(amountOf(readPasted(text), 2), { units, cents: over }, text);
      },
    ),
  );
});

test('what is pasted in an unclear form is refused', () => {
  for (const text of ['1.750.00', '1,750,00', '1,75,000.5.', '12.34,56.7', '1.2.3', '0.505.1', '1,750.00.'])
    assert.equal(amountOf(readPasted(text), 2), 'unclear', text);
  for (const text of ['0.505', '00.505', '1234.567', '1,2345'])
    assert.equal(amountOf(readPasted(text), 2), 'fraction', text);
  assert.deepEqual(amountOf(readPasted('$ 1.750'), 2), { units: 1750, cents: 0 });
});

test('cents are kept as far as the currency has them', () => {
  assert.deepEqual(amountOf('3.4', 2), { units: 3, cents: 40 });
  assert.deepEqual(amountOf('3.405', 3), { units: 3, cents: 405 });
  assert.deepEqual(amountOf('17.00', 0), { units: 17, cents: 0 });
  assert.equal(amountOf('17.50', 0), 'fraction');
  assert.equal(amountOf('17.000', 0), 'fraction', 'seventeen thousand, in many shops');
  assert.equal(amountOf('3.400', 2), 'fraction');
  assert.equal(amountOf('0.40', 2), 'less');
  assert.equal(amountOf('0.00', 2), 'zero');
  assert.equal(amountOf('4539148974539', 2) === 'huge', false);
  assert.equal(amountOf('453914897453914897', 2), 'huge');
});

test('nine and fourteen digits are a card or a code; any other text is none', () => {
  assert.equal(codeIn('453914897'), '453914897');
  assert.equal(codeIn('12345678901234'), '12345678901234');
  for (const raw of ['45391489', '4539148970', '453914897.00', '', '1234567890123'])
    assert.equal(codeIn(raw), null, raw);
});
