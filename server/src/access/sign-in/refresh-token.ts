import { createHash, randomBytes } from 'node:crypto';

/** The parts of a refresh token that are looked up. */
export interface RefreshToken {
  /** 16 random bytes that all tokens of a session share. */
  readonly handle: Buffer;
  /** SHA-256 of the whole token. */
  readonly hash: Buffer;
}

const PREFIX = 'lr_';
const HANDLE_BYTES = 16;
const SECRET_BYTES = 32;
const SHAPE = /^lr_[\w-]{64}$/;

export function newHandle(): Buffer {
  return randomBytes(HANDLE_BYTES);
}

/** Creates an opaque token for a session, with 256 random bits of its own. */
export function newRefreshToken(handle: Buffer): { token: string; hash: Buffer } {
  const token = PREFIX + Buffer.concat([handle, randomBytes(SECRET_BYTES)]).toString('base64url');
  return { token, hash: hashOf(token) };
}

/** Returns null if the text cannot be a refresh token. */
export function readRefreshToken(token: string): RefreshToken | null {
  if (!SHAPE.test(token)) return null;
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
  return { handle: bytes.subarray(0, HANDLE_BYTES), hash: hashOf(token) };
}

/** Returns the part of a refresh token’s text that only tokens of the same session share. */
export function handleOf(token: string): string {
  return token.slice(0, PREFIX.length + Math.floor((HANDLE_BYTES * 4) / 3));
}

/** A plain hash is enough, because the token is random and cannot be guessed from it. */
function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
