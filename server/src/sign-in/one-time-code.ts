import { createHmac, hkdfSync, randomInt } from 'node:crypto';

export const CODE_DIGITS = 6;

/** Whose code it is: an address at a commerce. The address is normalised. */
export interface CodeOwner {
  readonly commerceId: number;
  readonly email: string;
}

/** Six random digits, from 000000 to 999999. */
export function newCode(): string {
  return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
}

/** The key that codes are hashed with, made of the service's secret and of no use elsewhere. */
export function codeKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'sign-in code', 32));
}

/**
 * What is kept of a code, 32 bytes. A million codes are soon tried, so the hash is keyed; it is bound to commerce
 * and address, so that a row copied to another owner opens nothing. An address holds no line break.
 */
export function hashOfCode(key: Buffer, { commerceId, email }: CodeOwner, code: string): Buffer {
  return createHmac('sha256', key).update(`${commerceId}\n${email}\n${code}`).digest();
}
