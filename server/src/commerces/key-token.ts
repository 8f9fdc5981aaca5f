/**
 * The text of an API key: `lk_live_` or `lk_test_` (a sandbox's), 256 random bits in 43 characters of base62, and 6
 * more that check all before them, so that a typo is told apart without the database. Its fixed shape lets secret
 * scanners find one in a repository.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A new key, never given before. */
export function newKeyToken(sandbox: boolean): string {
  const random = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const text = `${sandbox ? 'lk_test_' : 'lk_live_'}${base62(random, RANDOM_LENGTH)}`;
  return text + checksum(text);
}

/** Whether the text has the shape of a key and its checksum is right. */
export function isKeyToken(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** What is stored in place of the key. A plain digest suffices: 256 random bits cannot be guessed from it. */
export function hashOfKey(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The first characters: enough for people to tell keys apart, too few to be of use. */
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
