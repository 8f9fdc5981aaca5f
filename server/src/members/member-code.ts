import { randomInt } from 'node:crypto';
import { checkDigit } from './check-digit.ts';

/**
 * A code for a new member: 9 digits, random, the last a check digit. The first is never 0, so that the number keeps
 * its digits. Two calls may give the same code: the commerce's unique key decides.
 */
export function newMemberCode(): number {
  const digits = String(randomInt(10_000_000, 100_000_000));
  return Number(`${digits}${checkDigit(digits)}`);
}
