/** Authorizes the callers of the back office: people with a session, and keys with a role. The only place that enforces a route's role. */
import type { FastifyRequest, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import type { Keywords } from '#request/compile-reader.ts';
import { InvalidRequest, MISSING } from '#problems/invalid-request.ts';
import { Problem, Unauthorized } from '#problems/problem.ts';
import {
  applyLookup,
  bearerToken,
  COMMERCE_ID,
  COMMERCE_ID_HINT,
  prependHook,
  refuseCall,
  UnknownCommerce,
  type Hook,
} from './credential-hooks.ts';
import type { Lookups, StaffIdentity } from './credentials.ts';
import { whyForeign } from './own-origin.ts';
import { readSessionCookie } from './session-cookie.ts';
import { rolesFrom, type StaffRole } from './staff-roles.ts';
import { whyWrongKind } from './refused-credentials.ts';

/** Nobody is signed in. */
class NotSignedIn extends Unauthorized {
  constructor() {
    super('missing_credential', 'sign in to the console');
  }
}

/** The session ended: by itself, by signing out, or with the person's last role. */
class SessionEnded extends Unauthorized {
  constructor() {
    super('wrong_credential', 'the session has ended: sign in again');
  }
}

/** The role of the caller is too low. */
export class RoleNeeded extends Problem {
  constructor(role: StaffRole) {
    super(403, 'role_needed', `this needs the role ${role}: ask an owner of the commerce`);
  }
}

/**
 * Adds the checks of a route of the back office, which run before the body is read: the credential, where a cookie comes
 * from, the commerce, and the role.
 */
export function addStaffChecks(route: RouteOptions, lookups: Lookups): void {
  const needed = route.config?.role;
  // The server does not start with such a route.
  if (needed === undefined) return;
  const ofCommerce = needed !== 'signed-in';
  if (ofCommerce)
    route.schema = {
      ...route.schema,
      headers: withCommerceId(route.schema?.headers as Keywords | undefined),
    };
  // A request that names no commerce properly is refused by its schema. Nothing else gets past this.
  prependHook(route, 'preHandler', (request, _reply, done) => {
    done((ofCommerce ? request.staff : request.staffSession) === null ? new NotSignedIn() : undefined);
    return undefined;
  });
  const checkSession = checkStaffSession(lookups, needed);
  const checkKey = checkStaffKey(lookups, needed);
  prependHook(route, 'onRequest', (request, reply, done) =>
    request.raw.headers.authorization === undefined
      ? checkSession(request, reply, done)
      : checkKey(request, reply, done),
  );
}

function checkStaffSession(lookups: Lookups, needed: StaffRole | 'signed-in'): Hook {
  return (request, _reply, done) => {
    const token = readSessionCookie(request);
    if (token === null) return refuseCall(done, new NotSignedIn());
    return applyLookup(lookups.staffSession(token, request), done, (session) => {
      if (session === null) return new SessionEnded();
      const foreign = whyForeign(request);
      if (foreign !== undefined) return foreign;
      request.staffSession = session;
      if (needed === 'signed-in') return undefined;
      if (request.raw.headers['x-commerce-id'] === undefined) return new CommerceMissing();
      const commerceId = namedCommerceOf(request);
      if (commerceId === null) return undefined;
      if (session.office === null) return new UnknownCommerce();
      const { staffId, role } = session.office;
      return takeStaff(request, needed, { commerceId, role, by: { kind: 'staff', staffId } });
    });
  };
}

function checkStaffKey(lookups: Lookups, needed: StaffRole | 'signed-in'): Hook {
  return (request, _reply, done) => {
    const token = bearerToken(request);
    if (token === null || needed === 'signed-in') return refuseCall(done, whyWrongKind(token ?? '', 'staff'));
    return applyLookup(lookups.staffKey(token, request), done, (key) => {
      if (key === null) return whyWrongKind(token, 'staff');
      const commerceId = namedCommerceOf(request);
      if (request.raw.headers['x-commerce-id'] !== undefined && commerceId === null) return undefined;
      if (commerceId !== null && commerceId !== key.commerceId) return new UnknownCommerce();
      return takeStaff(request, needed, {
        commerceId: key.commerceId,
        role: key.role,
        by: { kind: 'key', keyId: key.keyId },
      });
    });
  };
}

function takeStaff(request: FastifyRequest, needed: StaffRole, staff: StaffIdentity): Problem | undefined {
  if (!rolesFrom(needed).includes(staff.role)) return new RoleNeeded(needed);
  request.staff = staff;
  request.commerceId = staff.commerceId;
  return undefined;
}

/** The call does not say at which commerce it is made. */
class CommerceMissing extends InvalidRequest {
  constructor() {
    super([{ loc: ['header', 'x-commerce-id'], ...MISSING }], 'missing_commerce_id', COMMERCE_ID_HINT);
  }
}

/** Returns the commerce that `X-Commerce-Id` names; null if it is not there, or not a number. */
export function namedCommerceOf({ raw: { headers } }: FastifyRequest): number | null {
  const named = headers['x-commerce-id'];
  const id = Number(named);
  return Number.isSafeInteger(id) && String(id) === named ? id : null;
}

function withCommerceId(headers: Keywords = {}): Keywords {
  return {
    ...headers,
    type: 'object',
    properties: { 'x-commerce-id': Type.Optional(COMMERCE_ID), ...headers.properties },
  };
}
