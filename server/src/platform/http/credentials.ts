import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { Keywords } from '#request/compile-reader.ts';
import {
  applyLookup,
  bearerToken,
  COMMERCE_ID,
  prependHook,
  refuseCall,
  UnknownCommerce,
  type Hook,
  type MaybePromise,
} from './credential-hooks.ts';
import type { KeyScope } from './key-scopes.ts';
import { whyForeign } from './own-origin.ts';
import {
  ExpiredToken,
  InvalidKey,
  InvalidToken,
  KeyLacksScope,
  OnlyVouchedFor,
  kindOfToken,
  TokenOfAnotherCommerce,
  whyNoToken,
  whyWrongKind,
} from './refused-credentials.ts';
import { addStaffChecks } from './authorize-staff.ts';
import type { StaffRole } from './staff-roles.ts';

/**
 * The callers that a route admits. `key`: a commerce's server, with its API key. `user`: a member, with an access token, at the commerce in
 * `X-Commerce-Id`. `header`: anyone, at the commerce in `X-Commerce-Id`. `staff`: the shop's own people, with the cookie of a session, or a
 * key of the back office; `role` says which of them. `none`: anyone.
 */
export type CredentialKind = 'key' | 'user' | 'header' | 'staff' | 'none';

/** The owner of an API key. Slices add their own fields by module augmentation. */
export interface KeyIdentity {
  readonly commerceId: number;
  readonly keyId?: number;
  /** The rights of the key besides reading the catalog. */
  readonly scopes: readonly KeyScope[];
  /** Whether its commerce is a sandbox. */
  readonly sandbox?: boolean;
}
/** The owner of an access token. */
export interface UserIdentity {
  readonly userId: number;
  /** The only commerce at which the token is good; null if it is good at every commerce. */
  readonly onlyAt: number | null;
  /** Whether a shop vouched for the person, who did not sign in here. */
  readonly vouched?: boolean;
}
/** The commerce named by `X-Commerce-Id`. */
export interface CommerceIdentity {
  readonly id: number;
  readonly sandbox?: boolean;
}
/** The caller of the back office, at the commerce of the call. */
export interface StaffIdentity {
  readonly commerceId: number;
  readonly role: StaffRole;
  readonly by:
    | { readonly kind: 'staff'; readonly staffId: number }
    | { readonly kind: 'key'; readonly keyId: number };
}
/** The session of a person of the staff. `office` is the role at the commerce of the call, null if the person has none there. */
export interface StaffSession {
  readonly sessionId: number;
  readonly personId: number;
  readonly email: string;
  readonly name: string;
  /** Until when acts that ask for a fresh code are accepted; null if a code is asked for. */
  readonly freshUntil: Date | null;
  readonly office: { readonly staffId: number; readonly role: StaffRole } | null;
}
/** A key of the back office. */
export interface StaffKey {
  readonly commerceId: number;
  readonly keyId: number;
  readonly role: StaffRole;
}

/**
 * Looks credentials up. Each returns null if the credential is not valid, and returns a plain value instead of a
 * promise if the answer is in memory.
 */
export interface Lookups {
  key(token: string, request: FastifyRequest): MaybePromise<KeyIdentity | null>;
  user(token: string, request: FastifyRequest): MaybePromise<UserIdentity | null>;
  /** Returns true for an access token that was refused because its time is over. The signature must be right. */
  hasExpired?(token: string): boolean;
  commerce(id: number, request: FastifyRequest): MaybePromise<CommerceIdentity | null>;
  /** `office` is that at the commerce that `namedCommerceOf` returns. */
  staffSession(token: string, request: FastifyRequest): MaybePromise<StaffSession | null>;
  staffKey(token: string, request: FastifyRequest): MaybePromise<StaffKey | null>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required on every route. */
    credential?: CredentialKind;
    /** Required on every route with the credential `key`: the scope that a key needs, or `any` if every key may call it. */
    scope?: KeyScope | 'any';
    /** Only for a member who has signed in here: not for one whom the shop vouches for. */
    signedIn?: true;
    /** The route also serves calls with an unknown `X-Commerce-Id`. `request.commerce` is then null. */
    unknownCommerce?: 'allowed';
    /**
     * Required on every route with the credential `staff`: the lowest role that may call it. `signed-in`: any person of the
     * staff, without a commerce; no key.
     */
    role?: StaffRole | 'signed-in';
  }
  interface FastifyInstance {
    /** All routes of the server, with the credentials they declare. */
    routeTable: readonly RouteOptions[];
  }
  interface FastifyRequest {
    /** The commerce of the API key or of `X-Commerce-Id`; 0 on routes that have neither. */
    commerceId: number;
    /** The user ID of the member; 0 on other routes. */
    userId: number;
    key: KeyIdentity | null;
    user: UserIdentity | null;
    commerce: CommerceIdentity | null;
    staff: StaffIdentity | null;
    /** The session of a person of the staff; null on other routes, and for a key. */
    staffSession: StaffSession | null;
    /** True if `Authorization` was sent more than once. */
    ambiguousCredential: boolean;
  }
}

/**
 * Checks `Authorization` before the body is read, and looks up `X-Commerce-Id` after it was validated as an integer. Only
 * a token that is good at one commerce needs that lookup before: elsewhere it is a 401, which comes before a 422.
 */
export function enforceCredentials(app: FastifyInstance, lookups: Lookups): void {
  app.decorateRequest('commerceId', 0);
  app.decorateRequest('userId', 0);
  app.decorateRequest('key', null);
  app.decorateRequest('user', null);
  app.decorateRequest('commerce', null);
  app.decorateRequest('staff', null);
  app.decorateRequest('staffSession', null);
  app.decorateRequest('ambiguousCredential', false);

  app.addHook('onRoute', (route) => {
    const credential = route.config?.credential;
    if (credential === 'key') prependHook(route, 'onRequest', checkApiKey(lookups, route));
    if (credential === 'user') {
      prependHook(route, 'onRequest', checkSessionScope(lookups));
      prependHook(route, 'onRequest', checkAccessToken(lookups, route));
    }
    if (credential === 'staff') addStaffChecks(route, lookups);
    else if (credential === 'none' && route.config?.document === 'admin')
      prependHook(route, 'onRequest', (request, _reply, done) => {
        done(whyForeign(request));
        return undefined;
      });
    if (credential === 'user' || credential === 'header') {
      route.schema = {
        ...route.schema,
        headers: addCommerceIdHeader(route.schema?.headers as Keywords | undefined),
      };
      prependHook(route, 'preHandler', checkCommerce(lookups, route.config?.unknownCommerce === 'allowed'));
    }
  });
}

/** Makes the server refuse to start if a route declares no credential, or not what its credential needs. */
export function assertEveryRouteDeclaresACredential(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  app.decorate('routeTable', routes);
  app.addHook('onRoute', (route) => {
    routes.push(route);
  });
  app.addHook('onReady', (done) => {
    const undeclared = routes.filter(({ config }) => config?.credential === undefined);
    const roleless = routes.filter(
      ({ config }) => config?.credential === 'staff' && config.role === undefined,
    );
    const scopeless = routes.filter(
      ({ config }) => config?.credential === 'key' && config.scope === undefined,
    );
    const lacking = [
      { what: 'routes declare no credential', which: undeclared },
      { what: 'routes of the staff declare no role', which: roleless },
      { what: 'routes of keys declare no scope', which: scopeless },
    ].find(({ which }) => which.length > 0);
    done(lacking && new Error(`these ${lacking.what}: ${namesOf(lacking.which)}`));
  });
}

function namesOf(routes: readonly RouteOptions[]): string {
  return routes.map((route) => `${String(route.method)} ${route.url}`).join(', ');
}

function checkApiKey(lookups: Lookups, { config }: RouteOptions): Hook {
  return (request, _reply, done) => {
    const token = bearerToken(request);
    if (token === null) return refuseCall(done, whyNoToken(request, 'key'));
    return applyLookup(lookups.key(token, request), done, (key) => {
      if (key === null) return kindOfToken(token) === 'key' ? new InvalidKey() : whyWrongKind(token, 'key');
      request.key = key;
      request.commerceId = key.commerceId;
      const scope = config?.scope ?? 'any';
      if (scope === 'any' || key.scopes.includes(scope)) return undefined;
      return new KeyLacksScope(scope, config?.document === 'contract' ? 401 : 403);
    });
  };
}

function checkAccessToken(lookups: Lookups, { config }: RouteOptions): Hook {
  return (request, _reply, done) => {
    const token = bearerToken(request);
    if (token === null) return refuseCall(done, whyNoToken(request, 'user'));
    return applyLookup(lookups.user(token, request), done, (user) => {
      if (user === null) {
        if (lookups.hasExpired?.(token) === true) return new ExpiredToken();
        return kindOfToken(token) === 'user' ? new InvalidToken() : whyWrongKind(token, 'user');
      }
      request.user = user;
      request.userId = user.userId;
      if (user.vouched === true && config?.signedIn === true)
        return new OnlyVouchedFor(config.document === 'contract' ? 401 : 403);
      return undefined;
    });
  };
}

/**
 * Refuses a token that is good at one commerce only if the request names another one that exists. If that commerce does
 * not exist, or the header is not an integer, the request gets the same 404 or 422 as with any other token.
 */
function checkSessionScope(lookups: Lookups): Hook {
  return (request, _reply, done) => {
    const named = request.raw.headers['x-commerce-id'];
    const id = Number(named);
    if (isGoodAt(request, id) || !Number.isSafeInteger(id) || String(id) !== named) {
      done();
      return undefined;
    }
    return applyLookup(lookups.commerce(id, request), done, (commerce) =>
      commerce === null ? undefined : new TokenOfAnotherCommerce(),
    );
  };
}

function isGoodAt({ user }: FastifyRequest, commerceId: number): boolean {
  return user === null || user.onlyAt === null || user.onlyAt === commerceId;
}

function checkCommerce(lookups: Lookups, unknownIsAllowed: boolean): Hook {
  return (request, _reply, done) => {
    // The schema that was added to the route has already validated this as an integer.
    const id = Number(request.raw.headers['x-commerce-id']);
    return applyLookup(lookups.commerce(id, request), done, (commerce) => {
      if (commerce === null && !unknownIsAllowed) return new UnknownCommerce();
      // Only if the commerce was created after `checkSessionScope`.
      if (!isGoodAt(request, id)) return new TokenOfAnotherCommerce();
      request.commerceId = id;
      request.commerce = commerce;
      return undefined;
    });
  };
}

function addCommerceIdHeader(headers: Keywords = {}): Keywords {
  return {
    type: 'object',
    properties: { 'x-commerce-id': COMMERCE_ID, ...headers.properties },
    required: ['x-commerce-id', ...(headers.required ?? [])],
  };
}
