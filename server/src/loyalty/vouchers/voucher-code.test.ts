import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDigit } from '#members/check-digit.ts';
import { newVoucherCode } from './voucher-code.ts';

test('a voucher code has 14 digits, ends in a check digit, and differs from the one before', () => {
  const codes = Array.from({ length: 2_000 }, newVoucherCode);
  for (const code of codes) {
    assert.match(String(code), /^[1-9]\d{13}$/);
    assert.equal(checkDigit(String(code)), 0);
  }
  assert.equal(new Set(codes).size, codes.length);
});
