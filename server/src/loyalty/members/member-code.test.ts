import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDigit } from './check-digit.ts';
import { newMemberCode } from './member-code.ts';

test('a member code has 9 digits, ends in a check digit, and differs from the one before', () => {
  const codes = Array.from({ length: 2_000 }, newMemberCode);
  for (const code of codes) {
    assert.match(String(code), /^[1-9]\d{8}$/);
    assert.equal(checkDigit(String(code)), 0);
  }
  // 2,000 of 90 million: more than two duplicates would mean a broken random source.
  assert.ok(new Set(codes).size > 1_997);
});
