import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import type { Keywords } from '#request/compile-reader.ts';
import { NotFound, type Problem, Unauthorized } from '#problems/problem.ts';

/**
 * Who may call a route. `key`: a commerce's server, by its API key. `user`: a member, by an access token, at the
 * commerce of `X-Commerce-Id`. `header`: anybody, at that commerce. `staff`: the back office, by its session. `none`:
 * anybody.
 */
export type CredentialKind = 'key' | 'user' | 'header' | 'staff' | 'none';

/** What an API key stands for. Slices add what they know by module augmentation. */
export interface KeyIdentity {
  readonly commerceId: number;
}
/** What an access token stands for. */
export interface UserIdentity {
  readonly userId: number;
}
/** What an `X-Commerce-Id` stands for. */
export interface CommerceIdentity {
  readonly id: number;
}
/** What a back-office session stands for. */
export interface StaffIdentity {
  readonly userId: number;
}

type MaybePromise<T> = T | Promise<T>;

/** How a credential is looked up; null where it is not valid. An answer from memory need not be a promise. */
export interface Lookups {
  key(token: string, request: FastifyRequest): MaybePromise<KeyIdentity | null>;
  user(token: string, request: FastifyRequest): MaybePromise<UserIdentity | null>;
  commerce(id: number): MaybePromise<CommerceIdentity | null>;
  staff(request: FastifyRequest): MaybePromise<StaffIdentity | null>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route declares one. */
    credential?: CredentialKind;
    /** The route answers for an `X-Commerce-Id` that names nobody too; `request.commerce` is then null. */
    unknownCommerce?: 'allowed';
  }
  interface FastifyInstance {
    /** Every route of the server, with the credential that it declares. */
    routeTable: readonly RouteOptions[];
  }
  interface FastifyRequest {
    /** The commerce of the API key, or of `X-Commerce-Id`; 0 on routes that have neither. */
    commerceId: number;
    /** The member's or the staff's user; 0 on routes that have none. */
    userId: number;
    key: KeyIdentity | null;
    user: UserIdentity | null;
    commerce: CommerceIdentity | null;
    staff: StaffIdentity | null;
    /** `Authorization` was sent more than once. */
    ambiguousCredential: boolean;
  }
}

/** The check of `Authorization` comes before the body is read; `X-Commerce-Id` is looked up once it is an integer. */
export function enforceCredentials(app: FastifyInstance, lookups: Lookups): void {
  app.decorateRequest('commerceId', 0);
  app.decorateRequest('userId', 0);
  app.decorateRequest('key', null);
  app.decorateRequest('user', null);
  app.decorateRequest('commerce', null);
  app.decorateRequest('staff', null);
  app.decorateRequest('ambiguousCredential', false);

  app.addHook('onRoute', (route) => {
    const credential = route.config?.credential;
    if (credential === 'key') addHook(route, 'onRequest', byKey(lookups));
    if (credential === 'user') addHook(route, 'onRequest', byUser(lookups));
    if (credential === 'staff') addHook(route, 'onRequest', byStaff(lookups));
    if (credential === 'user' || credential === 'header') {
      route.schema = {
        ...route.schema,
        headers: withCommerceId(route.schema?.headers as Keywords | undefined),
      };
      addHook(route, 'preHandler', atCommerce(lookups, route.config?.unknownCommerce === 'allowed'));
    }
  });
}

/** Refuses to start with a route that does not say who may call it. */
export function assertEveryRouteDeclaresACredential(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  app.decorate('routeTable', routes);
  app.addHook('onRoute', (route) => {
    routes.push(route);
  });
  app.addHook('onReady', (done) => {
    const silent = routes.filter((route) => route.config?.credential === undefined);
    const names = silent.map((route) => `${String(route.method)} ${route.url}`).join(', ');
    done(silent.length > 0 ? new Error(`declares no credential: ${names}`) : undefined);
  });
}

/** Declares `none` for all routes of a plugin that is not ours, such as one that serves files. */
export function openToAnybody(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, credential: 'none' };
  });
}

type Hook = (
  request: FastifyRequest,
  reply: unknown,
  done: (error?: Error) => void,
) => Promise<undefined> | undefined;

function addHook(route: RouteOptions, stage: 'onRequest' | 'preHandler', hook: Hook): void {
  route[stage] = [hook, ...[route[stage] ?? []].flat()];
}

function byKey(lookups: Lookups): Hook {
  return (request, _reply, done) => {
    const token = bearerToken(request);
    if (token === null) return refuse(done, new Unauthorized('an API key is required'));
    return settle(lookups.key(token, request), done, (key) => {
      if (key === null) return new Unauthorized('the API key is not valid');
      request.key = key;
      request.commerceId = key.commerceId;
      return undefined;
    });
  };
}

function byUser(lookups: Lookups): Hook {
  return (request, _reply, done) => {
    const token = bearerToken(request);
    if (token === null) return refuse(done, new Unauthorized('an access token is required'));
    return settle(lookups.user(token, request), done, (user) => {
      if (user === null) return new Unauthorized('the access token is not valid or has expired');
      request.user = user;
      request.userId = user.userId;
      return undefined;
    });
  };
}

function byStaff(lookups: Lookups): Hook {
  return (request, _reply, done) => {
    return settle(lookups.staff(request), done, (staff) => {
      if (staff === null) return new Unauthorized('sign in to the console');
      request.staff = staff;
      request.userId = staff.userId;
      return undefined;
    });
  };
}

function atCommerce(lookups: Lookups, unknownIsAllowed: boolean): Hook {
  return (request, _reply, done) => {
    // Checked to be a canonical integer by the schema that was added to the route.
    const id = Number(request.raw.headers['x-commerce-id']);
    return settle(lookups.commerce(id), done, (commerce) => {
      if (commerce === null && !unknownIsAllowed) return new NotFound('the commerce does not exist');
      request.commerceId = id;
      request.commerce = commerce;
      return undefined;
    });
  };
}

/** Goes on at once with an answer from memory: a promise costs a turn of the event loop's queue. */
function settle<T>(
  found: MaybePromise<T>,
  done: (error?: Error) => void,
  take: (found: T) => Error | undefined,
): Promise<undefined> | undefined {
  if (!(found instanceof Promise)) {
    done(take(found));
    return undefined;
  }
  return found.then((value) => {
    const refusal = take(value);
    if (refusal) throw refusal;
    return undefined;
  });
}

function refuse(done: (error: Error) => void, problem: Problem): undefined {
  done(problem);
}

/** The one bearer token of the request; two `Authorization` headers are none. */
function bearerToken(request: FastifyRequest): string | null {
  const { authorization } = request.raw.headers;
  if (authorization === undefined || request.ambiguousCredential) return null;
  return BEARER.exec(authorization)?.[1] ?? null;
}

const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;

function withCommerceId(headers: Keywords = {}): Keywords {
  return {
    type: 'object',
    properties: { 'x-commerce-id': COMMERCE_ID, ...headers.properties },
    required: ['x-commerce-id', ...(headers.required ?? [])],
  };
}

const COMMERCE_ID = Type.Integer({
  format: 'int64',
  description: 'The commerce that the answer is about.',
  examples: [1],
});
