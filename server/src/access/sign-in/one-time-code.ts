import { createHmac, randomBytes, randomInt } from 'node:crypto';
import { deriveKeys, type DerivedKeys, type SecretKeys } from '#settings/secret-key.ts';

export const CODE_DIGITS = 6;
const LINK_BYTES = 16;
const LINK_TOKEN = /^[\w-]{22}$/;

/**
 * The purpose of a code of the staff, or of somebody who sets up a shop, in the place of a commerce's id. A code is stored, hashed and
 * limited by that number and the address, so a code of one purpose never counts as one of another: a member's code never opens the console.
 */
export const STAFF_SIGN_IN = 0;
export const STAFF_STEP_UP = -1;
export const SET_UP = -2;

/** The owner of a code: a normalised address at a commerce, or for a purpose of the staff. */
export interface CodeOwner {
  /** A commerce, `STAFF_SIGN_IN`, `STAFF_STEP_UP` or `SET_UP`. */
  readonly commerceId: number;
  readonly email: string;
}

/** The keys that secrets of a sign-in are hashed with. */
export interface CodeKeys {
  readonly codes: DerivedKeys;
  readonly links: DerivedKeys;
}

/** Derives the keys from the service's secret. */
export function deriveCodeKeys(secret: SecretKeys): CodeKeys {
  return { codes: deriveKeys(secret, 'sign-in code', 32), links: deriveKeys(secret, 'sign-in link', 32) };
}

/** Returns six random digits, from 000000 to 999999. */
export function newCode(): string {
  return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
}

/** Returns the secret of a link: 128 random bits in 22 characters. */
export function newLinkToken(): string {
  return randomBytes(LINK_BYTES).toString('base64url');
}

/**
 * Returns the 32 bytes that are stored for a code, and after them those that other keys have stored for it. The hash is keyed, because a million codes are quick to try. It
 * includes commerce and address, so that a row copied to another owner is useless. Addresses contain no line breaks, so
 * the parts cannot run together.
 */
export function hashesOfCode(keys: DerivedKeys, { commerceId, email }: CodeOwner, code: string): Hashes {
  return hashesOf(keys, `${commerceId}\n${email}\n${code}`);
}

/** Does the same for a link. Returns null if the text cannot be the secret of a link. */
export function hashesOfLink(keys: DerivedKeys, commerceId: number, token: string): Hashes | null {
  return LINK_TOKEN.test(token) ? hashesOf(keys, `${commerceId}\n${token}`) : null;
}

/** The hash that is stored, and after it the hashes that other keys have stored for the same. */
export type Hashes = readonly [Buffer, ...Buffer[]];

/** Returns the hash of a text under each of the keys. */
export function hashesOf([current, ...others]: DerivedKeys, text: string): Hashes {
  const hash = (key: Buffer) => createHmac('sha256', key).update(text).digest();
  return [hash(current), ...others.map(hash)];
}
