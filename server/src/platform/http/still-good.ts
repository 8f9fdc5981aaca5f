import type { FastifyRequest } from 'fastify';
import { bearerToken } from './credential-hooks.ts';
import type { Lookups } from './credentials.ts';
import { readSessionCookie } from './session-cookie.ts';

/** Returns whether the credential of a call that takes long is still good for it: a key or a session may end meanwhile, or a role change. */
export type StillGood = (request: FastifyRequest) => Promise<boolean>;

/** Returns the check for answers that are sent bit by bit. */
export function createStillGood(lookups: Pick<Lookups, 'key' | 'staffKey' | 'staffSession'>): StillGood {
  return async (request) => {
    const { key, staff, staffSession } = request;
    if (key !== null) return (await lookups.key(bearerToken(request)!, request)) !== null;
    if (staff?.by.kind === 'key') return (await lookups.staffKey(bearerToken(request)!, request)) !== null;
    if (staffSession === null) return true;
    const session = await lookups.staffSession(readSessionCookie(request)!, request);
    return session !== null && session.office?.role === staff?.role;
  };
}
