/**
 * What is said about a credential that is refused. It depends on nothing but the text of the header: a token that was
 * revoked, has expired or never existed gets the same answer.
 */
import type { FastifyRequest } from 'fastify';
import { Unauthorized } from '#problems/problem.ts';

/** The two credentials that calls take. */
type Wanted = 'key' | 'user';

/** No valid key has this text. */
export class InvalidKey extends Unauthorized {
  constructor() {
    super(
      'wrong_credential',
      'the API key is not valid: copy it whole, or create one with "loyalty key create"',
    );
  }
}

/** No session has this access token any more. */
export class InvalidToken extends Unauthorized {
  constructor() {
    super(
      'wrong_credential',
      'the access token is not valid or has expired: get a new one with POST /v1/auth/refresh, or sign in again',
    );
  }
}

/** The token belongs to a session at another commerce, where `SESSION_SCOPE` keeps commerces apart. */
export class TokenOfAnotherCommerce extends Unauthorized {
  constructor() {
    super('wrong_credential', 'the access token is not valid at this commerce: sign in at this one');
  }
}

/** Returns the refusal of a request without a bearer token. */
export function whyNoToken(request: FastifyRequest, wanted: Wanted): Unauthorized {
  const { authorization } = request.raw.headers;
  if (authorization === undefined)
    return new Unauthorized(
      'missing_credential',
      `the ${NAMES[wanted]} is missing: send ${EXAMPLES[wanted]}`,
    );
  if (request.ambiguousCredential)
    return new Unauthorized('wrong_credential', 'the Authorization header was sent twice: send it once');
  const text = authorization.trim();
  const kind = kindOfToken(text);
  if (kind !== null && kind !== wanted) return whyWrongKind(text, wanted);
  if (kind !== null)
    return new Unauthorized(
      'wrong_credential',
      `"Bearer " is missing before the ${NAMES[wanted]}: send ${EXAMPLES[wanted]}`,
    );
  return new Unauthorized(
    'wrong_credential',
    `the Authorization header has no ${NAMES[wanted]} after "Bearer ": send ${EXAMPLES[wanted]}`,
  );
}

/** Returns the refusal of a token that cannot be of the kind that the call takes. */
export function whyWrongKind(token: string, wanted: Wanted): Unauthorized {
  return new Unauthorized('wrong_credential', WRONG_KIND[wanted][kindOfToken(token) ?? 'none']);
}

/** Returns what a token is by its first characters; null if it is none of ours. */
export function kindOfToken(token: string): Wanted | 'refresh' | null {
  if (token.startsWith('lk_')) return 'key';
  if (token.startsWith('eyJ')) return 'user';
  return token.startsWith('lr_') ? 'refresh' : null;
}

const NAMES: Readonly<Record<Wanted, string>> = { key: 'API key', user: 'access token' };

const EXAMPLES: Readonly<Record<Wanted, string>> = {
  key: '"Authorization: Bearer lk_..."',
  user: '"Authorization: Bearer eyJ..." with the access token from POST /v1/auth/otp/verify',
};

const TAKES_A_KEY = 'this call takes the API key of the commerce, which begins with "lk_"';
const TAKES_A_TOKEN =
  'this call takes the access token of a member, from POST /v1/auth/otp/verify or POST /v1/auth/refresh';

const WRONG_KIND: Readonly<Record<Wanted, Readonly<Record<Wanted | 'refresh' | 'none', string>>>> = {
  key: {
    key: TAKES_A_KEY,
    user: `this is the access token of a member: ${TAKES_A_KEY}`,
    refresh: `this is a refresh token: ${TAKES_A_KEY}`,
    none: `this is not an API key: ${TAKES_A_KEY}`,
  },
  user: {
    user: TAKES_A_TOKEN,
    key: `this is an API key: ${TAKES_A_TOKEN}`,
    refresh: `this is a refresh token: ${TAKES_A_TOKEN}`,
    none: `this is not an access token: ${TAKES_A_TOKEN}`,
  },
};
