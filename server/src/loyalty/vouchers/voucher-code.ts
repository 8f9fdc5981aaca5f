import { randomInt } from 'node:crypto';
import { checkDigit } from '#members/check-digit.ts';

/**
 * Returns a code for a new voucher: 13 random digits and a check digit. It is a coupon code too, so it comes from a
 * random source that cannot be guessed (9 × 10¹² codes). The first digit is never 0, so the number always has 14
 * digits.
 */
export function newVoucherCode(): number {
  const digits = String(randomInt(1_000_000_000_000, 10_000_000_000_000));
  return Number(`${digits}${checkDigit(digits)}`);
}

/** What is said about a code that cannot be one. */
export const VOUCHER_CODE =
  'It is the 14 digits that the member shows, without spaces or dashes. A benefit_id of the catalog cannot be looked up or redeemed here.';
