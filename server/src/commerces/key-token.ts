/**
 * The text of an API key: `lk_live_` or `lk_test_` (for a sandbox), 256 random bits as 43 base62 characters, and a
 * checksum of 6 characters over all of that, so that a typo is found without a query. The fixed format lets secret
 * scanners find keys in a repository.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Returns a new random key. */
export function newKeyToken(sandbox: boolean): string {
  const random = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const text = `${sandbox ? 'lk_test_' : 'lk_live_'}${base62(random, RANDOM_LENGTH)}`;
  return text + checksum(text);
}

/** Returns true if the text has the format of a key and a correct checksum. */
export function isKeyToken(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
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
const SHAPE = /^lk_(live|test)_[0-9A-Za-z]{49}$/;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}
