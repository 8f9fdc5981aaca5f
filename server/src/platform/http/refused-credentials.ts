/**
 * Writes the message about a credential that is refused. It depends on nothing but what was sent: a key or a session that was revoked gets
 * the same answer as one that never existed. An access token says itself when it expires, to anyone who has one with our signature.
 */
import type { FastifyRequest } from 'fastify';
import { Problem, Unauthorized } from '#problems/problem.ts';
import type { KeyScope } from './key-scopes.ts';

/** The credentials that calls take. `staff` is a key of the back office. */
type Wanted = 'key' | 'user' | 'staff';

/** No valid key has this text. */
export class InvalidKey extends Unauthorized {
  constructor() {
    super(
      'wrong_credential',
      'the API key is not valid or was revoked: copy it whole, or create one with "loyalty key create"',
    );
  }
}

/** The key is valid and may not do this. The contract has no 403 for it: there the key is one that is unfit for the call. */
export class KeyLacksScope extends Problem {
  constructor(scope: KeyScope, status: 401 | 403) {
    super(
      status,
      'scope',
      `the API key may not do this: use or create one with the scope "${scope}", such as "loyalty key create --scopes default,${scope}"`,
      {
        hint: `The call needs a key with the scope "${scope}".`,
        headers: status === 401 ? { 'www-authenticate': 'Bearer' } : {},
      },
    );
  }
}

/** The shop vouches for the member, who has not signed in here. As with a key that lacks a scope, the contract has no 403. */
export class OnlyVouchedFor extends Problem {
  constructor(status: 401 | 403) {
    super(
      status,
      'wrong_credential',
      'the shop vouches for this person: for this, they must sign in with a code',
      {
        hint: 'Let the person sign in with POST /v1/auth/otp/request and POST /v1/auth/otp/verify.',
        headers: status === 401 ? { 'www-authenticate': 'Bearer' } : {},
      },
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

/** The access token is ours, and its time is over. */
export class ExpiredToken extends Unauthorized {
  constructor() {
    super('wrong_credential', 'the access token has expired: get a new one with POST /v1/auth/refresh');
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
  if (authorization === undefined) return new Unauthorized('missing_credential', whyMissing(request, wanted));
  if (request.ambiguousCredential)
    return new Unauthorized('wrong_credential', 'the Authorization header was sent twice: send it once');
  const text = authorization.trim();
  const kind = kindOfToken(text);
  if (kind !== null && kind !== wanted) return whyWrongKind(text, wanted);
  const why =
    kind !== null
      ? `"Bearer " is missing before the ${NAMES[wanted]}`
      : (MISTAKES_OF_FORM.find(({ looks }) => looks.test(text))?.say(NAMES[wanted]) ??
        `the Authorization header has no ${NAMES[wanted]} after "Bearer "`);
  return new Unauthorized('wrong_credential', `${why}: send ${EXAMPLES[wanted]}`);
}

/** Says where the credential was sent instead, if it was sent at all. */
function whyMissing({ raw: { headers, url = '' } }: FastifyRequest, wanted: Wanted): string {
  const send = `send ${EXAMPLES[wanted]}`;
  const query = url.slice(url.indexOf('?'), LONGEST_QUERY);
  if (url.includes('?') && IN_QUERY.test(query))
    return `a credential in the address ends up in logs: revoke it, and ${send.replace('send', 'send a new one in')}`;
  if (OTHER_HEADERS.some((name) => headers[name] !== undefined))
    return `the ${NAMES[wanted]} belongs in the header Authorization and in no other: ${send}`;
  return `the ${NAMES[wanted]} is missing: ${send}`;
}

const LONGEST_QUERY = 2_000;
const IN_QUERY = /[?&][\w.-]+=(?:Bearer(?: |\+|%20))?(?:lk_|lr_|eyJ)/i;
const OTHER_HEADERS = ['x-api-key', 'api-key', 'apikey', 'x-auth-token', 'x-access-token', 'x-authorization'];

/** The forms that an `Authorization` header without a bearer token may have. The first that fits is named. */
const MISTAKES_OF_FORM: readonly { readonly looks: RegExp; say(name: string): string }[] = [
  {
    looks: /^basic\b/i,
    say: (name) => `"Basic" cannot carry the ${name}; with curl, use -H and not -u`,
  },
  { looks: /^bearer *:/i, say: () => 'there is a colon after "Bearer"' },
  { looks: /^bearer +bearer\b/i, say: () => '"Bearer" was sent twice' },
  { looks: /^bearer +[$%{]/i, say: (name) => `the name of a variable was sent instead of the ${name}` },
  { looks: /^bearer +["'<[(`]/i, say: (name) => `the ${name} is in quotes or brackets` },
  {
    looks: /^[\w-]+[ :=]+(?:lk_|lr_|eyJ)/,
    say: (name) => `another word than "Bearer" is before the ${name}`,
  },
];

/** Returns what was sent instead of a refresh token, by its text; null if it may be one. */
export function whyNoRefreshToken(text: string): string | null {
  const kind = kindOfToken(text);
  if (kind === null || kind === 'refresh') return null;
  const was = { key: 'an API key', staff: 'a back-office key', user: 'an access token' }[kind];
  return `this is ${was}: send the "refresh" of the session, which begins with "lr_"`;
}

/** Returns the refusal of a token that cannot be of the kind that the call takes. */
export function whyWrongKind(token: string, wanted: Wanted): Unauthorized {
  return new Unauthorized('wrong_credential', WRONG_KIND[wanted][kindOfToken(token) ?? 'none']);
}

/** Returns what a token is by its first characters; null if it is none of ours. */
export function kindOfToken(token: string): Wanted | 'refresh' | null {
  if (token.startsWith('lk_admin_')) return 'staff';
  if (token.startsWith('lk_')) return 'key';
  if (token.startsWith('eyJ')) return 'user';
  return token.startsWith('lr_') ? 'refresh' : null;
}

const NAMES: Readonly<Record<Wanted, string>> = {
  key: 'API key',
  user: 'access token',
  staff: 'back-office key',
};

const EXAMPLES: Readonly<Record<Wanted, string>> = {
  key: '"Authorization: Bearer lk_..."',
  user: '"Authorization: Bearer eyJ..." with the access token from POST /v1/auth/otp/verify',
  staff: '"Authorization: Bearer lk_admin_..."',
};

const TAKES_A_KEY = 'this call takes the API key of the commerce, which begins with "lk_"';
const TAKES_A_TOKEN =
  'this call takes the access token of a member, from POST /v1/auth/otp/verify or POST /v1/auth/refresh';

const TAKES_STAFF =
  'this call takes the session of a person of the staff, or a back-office key, which begins with "lk_admin_"';

const WRONG_KIND: Readonly<Record<Wanted, Readonly<Record<Wanted | 'refresh' | 'none', string>>>> = {
  key: {
    key: TAKES_A_KEY,
    staff: `this is a back-office key: ${TAKES_A_KEY}`,
    user: `this is the access token of a member: ${TAKES_A_KEY}`,
    refresh: `this is a refresh token: ${TAKES_A_KEY}`,
    none: `this is not an API key: ${TAKES_A_KEY}`,
  },
  user: {
    user: TAKES_A_TOKEN,
    key: `this is an API key: ${TAKES_A_TOKEN}`,
    staff: `this is a back-office key: ${TAKES_A_TOKEN}`,
    refresh: `this is a refresh token: ${TAKES_A_TOKEN}`,
    none: `this is not an access token: ${TAKES_A_TOKEN}`,
  },
  staff: {
    key: `this is an API key of the contract: ${TAKES_STAFF}`,
    staff: `the back-office key is not valid, was revoked or cannot do this: ${TAKES_STAFF}`,
    user: `this is the access token of a member: ${TAKES_STAFF}`,
    refresh: `this is a refresh token: ${TAKES_STAFF}`,
    none: `this is not a back-office key: ${TAKES_STAFF}`,
  },
};
