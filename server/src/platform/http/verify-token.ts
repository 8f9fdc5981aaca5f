import { errors, jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose';
import type { DerivedKeys } from '#settings/secret-key.ts';

/** A token that is ours. */
export interface VerifiedToken {
  readonly payload: JWTPayload;
  /** The place of the key that signed it. */
  readonly place: number;
}

/** Verifies a token with the keys in their order, the current one first. @throws errors.JOSEError if it is not ours */
export async function verifyToken(
  token: string,
  keys: DerivedKeys,
  options: JWTVerifyOptions,
): Promise<VerifiedToken> {
  for (let place = 0; ; place += 1) {
    try {
      const { payload } = await jwtVerify(token, keys[place]!, options);
      return { payload, place };
    } catch (error) {
      const isOtherKey = error instanceof errors.JWSSignatureVerificationFailed;
      if (!isOtherKey || place === keys.length - 1) throw error;
    }
  }
}
