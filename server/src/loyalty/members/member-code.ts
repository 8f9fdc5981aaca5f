import { randomInt } from 'node:crypto';
import { checkDigit } from './check-digit.ts';

/**
 * Returns a code for a new member: 8 random digits and a check digit. The first digit is never 0, so the number
 * always has 9 digits. Two calls may return the same code: the commerce's unique key decides.
 */
export function newMemberCode(): number {
  const digits = String(randomInt(10_000_000, 100_000_000));
  return Number(`${digits}${checkDigit(digits)}`);
}
