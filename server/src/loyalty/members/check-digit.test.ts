import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { checkDigit } from './check-digit.ts';

const digits = fc.stringMatching(/^\d{1,13}$/);

// 572: row 0, column 5 → 9; row 9, column 7 → 7; row 7, column 2 → 4.
test('the check digit of 572 is 4', () => {
  assert.equal(checkDigit('572'), 4);
  assert.equal(checkDigit('5724'), 0);
  assert.notEqual(checkDigit('5727'), 0);
});

test('a code with its check digit is accepted', () => {
  fc.assert(fc.property(digits, (digits) => checkDigit(`${digits}${checkDigit(digits)}`) === 0));
});

test('every wrong digit is detected', () => {
  fc.assert(
    fc.property(digits, fc.nat(13), fc.integer({ min: 1, max: 9 }), (digits, place, shift) => {
      const code = `${digits}${checkDigit(digits)}`.split('');
      const at = place % code.length;
      code[at] = String((Number(code[at]) + shift) % 10);
      assert.notEqual(checkDigit(code.join('')), 0);
    }),
  );
});

test('every swap of two different neighbouring digits is detected', () => {
  fc.assert(
    fc.property(digits, fc.nat(12), (digits, place) => {
      const code = `${digits}${checkDigit(digits)}`.split('');
      const at = place % (code.length - 1);
      const [left, right] = [code[at]!, code[at + 1]!];
      fc.pre(left !== right);
      code.splice(at, 2, right, left);
      assert.notEqual(checkDigit(code.join('')), 0);
    }),
  );
});
