import { createHmac, hkdfSync, randomInt } from 'node:crypto';

export const CODE_DIGITS = 6;

/** The owner of a code: a normalised address at a commerce. */
export interface CodeOwner {
  readonly commerceId: number;
  readonly email: string;
}

/** Returns six random digits, from 000000 to 999999. */
export function newCode(): string {
  return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
}

/** Derives the key that codes are hashed with from the service's secret. */
export function deriveCodeKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'sign-in code', 32));
}

/**
 * Returns the 32 bytes that are stored for a code. The hash is keyed, because a million codes are quick to try. It
 * includes commerce and address, so that a row copied to another owner is useless. Addresses contain no line breaks, so
 * the parts cannot run together.
 */
export function hashOfCode(key: Buffer, { commerceId, email }: CodeOwner, code: string): Buffer {
  return createHmac('sha256', key).update(`${commerceId}\n${email}\n${code}`).digest();
}
