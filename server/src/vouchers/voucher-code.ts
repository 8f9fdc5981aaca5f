import { randomInt } from 'node:crypto';
import { checkDigit } from '#members/check-digit.ts';

/**
 * A code for a new voucher: 14 digits, 13 random and a check digit. It is a coupon code too, so it comes from a
 * source that cannot be guessed (9 × 10¹² codes). The first digit is never 0, so that the number keeps its digits.
 */
export function newVoucherCode(): number {
  const digits = String(randomInt(1_000_000_000_000, 10_000_000_000_000));
  return Number(`${digits}${checkDigit(digits)}`);
}
