import { hkdfSync, randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Seen, SessionReader, SessionRef } from './session-reader.ts';

export const ACCESS_SECONDS = 900;

/** Whom an access token stands for. */
export type Bearer = SessionRef;

/** Access tokens: given out, and looked at with every call of a member. */
export interface AccessTokens {
  /** A token that is good for 900 s from that instant of the database's clock. */
  issue(bearer: Bearer, at: Date): Promise<string>;
  /**
   * Whose token it is; null where it is none of ours, has expired, or its session has ended. That another process
   * ended it is seen within 5 s. No promise where everything is still in memory.
   */
  userOf(sessionOf: SessionReader, token: string): Bearer | null | Promise<Bearer | null>;
  /** A session that ended here is not believed any longer. */
  forget(sessionId: number): void;
}

interface Verified extends Bearer {
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

const HEADER = { alg: 'HS256', typ: 'at+jwt' } as const;
const ISSUER = 'loyalty';
const AUDIENCE = 'loyalty/members';
const LONGEST = 1_000;
const SESSION_SEEN_MS = 5_000;

/** The access tokens of a service with this secret. */
export function createAccessTokens(secret: string): AccessTokens {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'access token', 32));
  // A signature takes 40 µs to check, so it is checked once.
  const verified = new LRUCache<string, Verified>({ max: 20_000 });
  const seen = new LRUCache<number, Seen>({ max: 50_000, ttl: SESSION_SEEN_MS });
  let forgotten = 0;

  return {
    issue: (bearer, at) => sign(key, bearer, at),
    userOf(sessionOf, token) {
      const bearer = verified.get(token);
      const session = bearer && seen.get(bearer.sessionId);
      return session === undefined ? lookUp(sessionOf, token) : ifNotExpired(bearer!, session);
    },
    forget(sessionId) {
      forgotten += 1;
      seen.delete(sessionId);
    },
  };

  async function lookUp(sessionOf: SessionReader, token: string): Promise<Bearer | null> {
    const bearer = verified.get(token) ?? (await verify(key, token));
    if (bearer === null) return null;
    const before = forgotten;
    const session = await sessionOf(bearer);
    if (session === undefined) return null;
    verified.set(token, bearer);
    // What ended while it was looked up may have been seen alive.
    if (before === forgotten) seen.set(bearer.sessionId, session, { start: session.localMs });
    return ifNotExpired(bearer, session);
  }
}

/** Each token has a random id, so two tokens issued in the same second are different. */
async function sign(key: Uint8Array, { userId, sessionId }: Bearer, at: Date): Promise<string> {
  const issuedAt = Math.floor(at.getTime() / 1000);
  return new SignJWT({ sid: String(sessionId) })
    .setProtectedHeader(HEADER)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(String(userId))
    .setJti(randomUUID())
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ACCESS_SECONDS)
    .sign(key);
}

async function verify(key: Uint8Array, token: string): Promise<Verified | null> {
  if (token.length > LONGEST) return null;
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [HEADER.alg],
      typ: HEADER.typ,
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ['sub', 'sid', 'exp'],
      // Whether it has expired is asked of the database's clock, below.
      currentDate: new Date(0),
    });
    return { userId: Number(payload.sub), sessionId: Number(payload['sid']), expiresAt: payload.exp! };
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/** The database's time goes on by a clock that nobody sets: one process with a wrong date believes no longer. */
function ifNotExpired(bearer: Verified, { databaseMs, localMs }: Seen): Bearer | null {
  const nowMs = databaseMs + performance.now() - localMs;
  return nowMs < bearer.expiresAt * 1000 ? bearer : null;
}
