import { randomUUID } from 'node:crypto';
import { errors, SignJWT } from 'jose';
import { createBoundedCache } from '#base/bounded-cache.ts';
import { createHiddenIds, type HiddenIds } from '#batching/hidden-ids.ts';
import type { SeenSession, SessionReader, SessionRef } from './session-reader.ts';
import { verifyToken } from '#http/verify-token.ts';
import { deriveKeys, type DerivedKeys, type SecretKeys } from '#settings/secret-key.ts';

export const ACCESS_SECONDS = 900;

/** Where a member's tokens are good: at every commerce of the installation, or only at the one they were issued for. */
export type SessionScope = 'installation' | 'commerce';

/** The owner of an access token. */
export interface Bearer extends SessionRef {
  /** The only commerce at which the token is good; null if it is good at every commerce. */
  readonly onlyAt: number | null;
  /** Whether a shop vouched for the person, who did not sign in here. */
  readonly vouched: boolean;
}

/** The session that a token is issued for, and the commerce of the call. */
export interface TokenOwner extends SessionRef {
  readonly commerceId: number;
  /** The token is then good at this commerce only, whatever the scope. */
  readonly vouched?: boolean;
}

/** Issues access tokens and verifies them on every call of a member. */
export interface AccessTokens {
  readonly scope: SessionScope;
  /** Returns a token that is valid for 900 s from `at`, an instant of the database's clock. */
  issue(owner: TokenOwner, at: Date): Promise<string>;
  /**
   * Returns the token's owner; null if the token is not ours, has expired, or its session has ended. If another process
   * ended the session, it takes up to 5 s to notice. Under the scope `commerce`, returns null for a token that names no
   * commerce: it was issued under the other scope. Returns a plain value if everything is in memory.
   */
  userOf(sessionOf: SessionReader, token: string): Bearer | null | Promise<Bearer | null>;
  /**
   * Returns true for a token that is ours and whose time is over, to explain why it was refused. Does not look at its
   * session. Must be asked after `userOf`.
   */
  hasExpired(token: string): boolean;
  /** Forgets a session that this process has ended. */
  forgetSession(sessionId: number): void;
}

interface Verified extends Bearer {
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

const HEADER = { alg: 'HS256', typ: 'at+jwt' } as const;
const ISSUER = 'loyalty';
const AUDIENCE = 'loyalty/members';
/** Of tokens for which a shop vouched. A release that does not know them refuses them. */
const VOUCHED = 'loyalty/vouched';
const MAX_TOKEN_LENGTH = 1_000;
const SESSION_SEEN_MS = 5_000;
/** The end of a signature of 32 bytes. Its last character has two spare bits, which must be zero. */
const CANONICAL = /\.[\w-]{42}[AEIMQUYcgkosw048]$/;

/** Creates the access tokens of a service with this secret. */
export function createAccessTokens(secret: SecretKeys, scope: SessionScope = 'installation'): AccessTokens {
  const keys = deriveKeys(secret, 'access token', 32);
  // A token can be read by its owner, and ids count up over all shops.
  const ids = deriveKeys(secret, 'ids in access tokens', 12).map(createHiddenIds);
  // Checking a signature takes 40 µs, so the result is remembered.
  const verified = createBoundedCache<string, Verified>(20_000);
  const seen = createBoundedCache<number, SeenSession>(50_000, { ttl: SESSION_SEEN_MS });
  let forgotten = 0;

  return {
    scope,
    issue: (owner, at) => signToken({ keys, ids, scope }, owner, at),
    userOf(sessionOf, token) {
      const bearer = verified.get(token);
      const session = bearer && seen.get(bearer.sessionId);
      return session === undefined ? lookUp(sessionOf, token) : ifNotExpired(bearer!, session);
    },
    hasExpired(token) {
      const bearer = verified.get(token);
      return bearer !== undefined && bearer.expiresAt * 1000 <= Date.now();
    },
    forgetSession(sessionId) {
      forgotten += 1;
      seen.delete(sessionId);
    },
  };

  async function lookUp(sessionOf: SessionReader, token: string): Promise<Bearer | null> {
    const bearer = verified.get(token) ?? (await readToken({ keys, ids, scope }, token));
    if (bearer === null) return null;
    verified.set(token, bearer);
    const before = forgotten;
    const session = await sessionOf(bearer);
    if (session === undefined) return null;
    // If a session ended during the lookup, the result may be out of date, so it is not remembered.
    if (before === forgotten) seen.set(bearer.sessionId, session, { start: session.localMs });
    return ifNotExpired(bearer, session);
  }
}

interface TokenKeys {
  readonly keys: DerivedKeys;
  readonly ids: readonly HiddenIds[];
  readonly scope: SessionScope;
}

/** Signs a token with a random ID, so that two tokens of the same second differ. */
async function signToken(
  { keys, ids, scope }: TokenKeys,
  { userId, sessionId, commerceId, vouched = false }: TokenOwner,
  at: Date,
): Promise<string> {
  const issuedAt = Math.floor(at.getTime() / 1000);
  return new SignJWT({
    sid: String(ids[0]!.hide(sessionId)),
    ...((vouched || scope === 'commerce') && { cid: String(commerceId) }),
  })
    .setProtectedHeader(HEADER)
    .setIssuer(ISSUER)
    .setAudience(vouched ? VOUCHED : AUDIENCE)
    .setSubject(String(ids[0]!.hide(userId)))
    .setJti(randomUUID())
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ACCESS_SECONDS)
    .sign(keys[0]);
}

async function readToken({ keys, ids, scope }: TokenKeys, token: string): Promise<Verified | null> {
  if (token.length > MAX_TOKEN_LENGTH || !CANONICAL.test(token)) return null;
  try {
    const { payload, place } = await verifyToken(token, keys, {
      algorithms: [HEADER.alg],
      typ: HEADER.typ,
      issuer: ISSUER,
      audience: [AUDIENCE, VOUCHED],
      requiredClaims: ['sub', 'sid', 'exp', ...(scope === 'commerce' ? ['cid'] : [])],
      // `ifNotExpired` checks the expiry, by the database's clock.
      currentDate: new Date(0),
    });
    // A token of an older release has the ids as they are.
    const vouched = payload.aud === VOUCHED;
    const idOf = (claim: unknown) => ids[place]!.show(Number(claim)) ?? Number(claim);
    return {
      userId: idOf(payload.sub),
      sessionId: idOf(payload['sid']),
      onlyAt: vouched || scope === 'commerce' ? Number(payload['cid']) : null,
      vouched,
      expiresAt: payload.exp!,
    };
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/**
 * Returns the bearer, or null if the token has expired. The time is the database's, advanced by this process's
 * monotonic clock, so that a wrong system date on one machine does no harm.
 */
function ifNotExpired(bearer: Verified, { databaseMs, localMs }: SeenSession): Bearer | null {
  const nowMs = databaseMs + performance.now() - localMs;
  return nowMs < bearer.expiresAt * 1000 ? bearer : null;
}
