import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '#text/loopback.ts';

const DAY_SECONDS = 24 * 3600;
/** The longest that a session lasts. The database ends it earlier if it is not used. */
const LONGEST_SECONDS = 30 * DAY_SECONDS;

/**
 * Returns the token in the session's cookie; null if there is none, or more than one. Scripts cannot read the cookie, other
 * sites cannot make a browser send it, and with `__Host-` no other host of the domain can set it.
 */
export function readSessionCookie(request: FastifyRequest): string | null {
  const name = nameOfCookie(request);
  const values = (request.raw.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && TOKEN.test(values[0]!) ? values[0]! : null;
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  reply.header('set-cookie', writeCookie(request, token, LONGEST_SECONDS));
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', writeCookie(request, '', 0));
}

/** 32 random bytes in base64url. */
const TOKEN = /^[\w-]{43}$/;

function writeCookie(request: FastifyRequest, value: string, seconds: number): string {
  const name = nameOfCookie(request);
  const secure = name === PLAIN ? '' : '; Secure';
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

const PLAIN = 'session';

/** Only on a developer's machine is there a console without TLS, where browsers keep no `__Host-` cookie. */
function nameOfCookie({ consoleUrl }: FastifyRequest): string {
  const url = URL.canParse(consoleUrl) ? new URL(consoleUrl) : null;
  return url?.protocol === 'http:' && isLoopbackHost(url.hostname) ? PLAIN : '__Host-session';
}
