import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKeys, type SecretKeys } from './secret-key.ts';

/** Encrypts for one purpose, so that nobody but the service can read or make what comes out. */
export interface Sealer {
  /** Encrypts with the current key. `context` is what the content belongs to; it is not stored. */
  seal(content: Uint8Array, context: string): Buffer;
  /** Returns null if `seal` did not make this for this context. */
  open(sealed: Buffer, context: string): Opened | null;
}

export interface Opened {
  readonly content: Buffer;
  /** False if it was made with another key than the current one: seal it again before that key is removed. */
  readonly isCurrent: boolean;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Creates a sealer with keys of its own, derived from those of the installation. */
export function createSealer(secret: SecretKeys, purpose: string): Sealer {
  const keys = deriveKeys(secret, purpose, 32);
  return {
    seal(content, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, keys[0], iv).setAAD(Buffer.from(context));
      const encrypted = Buffer.concat([cipher.update(content), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
    },

    open(sealed, context) {
      if (sealed.length <= IV_BYTES + TAG_BYTES) return null;
      for (const [nth, key] of keys.entries()) {
        const content = decrypt(key, Buffer.from(context), sealed);
        if (content !== null) return { content, isCurrent: nth === 0 };
      }
      return null;
    },
  };
}

function decrypt(key: Buffer, aad: Buffer, sealed: Buffer): Buffer | null {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES))
    .setAAD(aad)
    .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}
