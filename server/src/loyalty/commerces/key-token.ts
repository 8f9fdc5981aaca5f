/**
 * The text of an API key: `lk_live_` or `lk_test_` (for a sandbox), or `lk_admin_` for one of the back office, 256 random bits as 43 base62 characters, and a
 * checksum of 6 characters over all of that, so that a typo is found without a query. The fixed format lets secret
 * scanners find keys in a repository.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The use of a key: the contract at a real commerce, the contract at a sandbox, or the back office. */
export type KeyUse = 'live' | 'test' | 'admin';

/** Returns a new random key. */
export function newKeyToken(use: KeyUse): string {
  const random = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const text = `lk_${use}_${base62(random, RANDOM_LENGTH)}`;
  return text + checksum(text);
}

/** Returns true if the text has the format of a key of the contract and a correct checksum. */
export function isKeyToken(text: string): boolean {
  return CONTRACT.test(text) && isIntact(text);
}

/** Returns true if the text has the format of a key of the back office and a correct checksum. */
export function isStaffKeyToken(text: string): boolean {
  return BACK_OFFICE.test(text) && isIntact(text);
}

function isIntact(text: string): boolean {
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/**
 * Returns the hash that is stored instead of the key. A plain digest is enough, because 256 random bits cannot be
 * guessed.
 */
export function hashOfKey(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Returns the first characters: enough to tell keys apart, but too few to use. */
export function prefixOfKey(token: string): string {
  return token.slice(0, 12);
}

const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const CONTRACT = /^lk_(live|test)_[0-9A-Za-z]{49}$/;
const BACK_OFFICE = /^lk_admin_[0-9A-Za-z]{49}$/;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}
