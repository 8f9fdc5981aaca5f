import { createHash, randomBytes } from 'node:crypto';

/** A refresh token taken apart: whose family it is of, and what is kept of it. */
export interface RefreshToken {
  /** 16 random bytes that all tokens of a session carry. */
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

/** A new token of a session's family: opaque, with 256 random bits of its own. */
export function newRefreshToken(handle: Buffer): { token: string; hash: Buffer } {
  const token = PREFIX + Buffer.concat([handle, randomBytes(SECRET_BYTES)]).toString('base64url');
  return { token, hash: hashOf(token) };
}

/** Null where the text cannot be a refresh token. */
export function readRefreshToken(token: string): RefreshToken | null {
  if (!SHAPE.test(token)) return null;
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
  return { handle: bytes.subarray(0, HANDLE_BYTES), hash: hashOf(token) };
}

/** The token is random, so a plain hash cannot be turned back. */
function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
