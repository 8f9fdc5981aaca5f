import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '#text/loopback.ts';

const DAY_SECONDS = 24 * 3600;

/**
 * The cookies of the console, and how long a browser keeps each: that of a person who is signed in, and that of somebody who
 * sets up a shop. The database may end what they stand for earlier.
 */
const LONGEST_SECONDS = { session: 30 * DAY_SECONDS, 'set-up': 8 * DAY_SECONDS } as const;

type CookieName = keyof typeof LONGEST_SECONDS;

/**
 * Returns the token in a cookie; null if there is none, or more than one. Scripts cannot read the cookie, other
 * sites cannot make a browser send it, and with `__Host-` no other host of the domain can set it.
 */
export function readSessionCookie(request: FastifyRequest, cookie: CookieName = 'session'): string | null {
  const name = nameOfCookie(request, cookie);
  const values = (request.raw.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && TOKEN.test(values[0]!) ? values[0]! : null;
}

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  cookie: CookieName = 'session',
): void {
  reply.header('set-cookie', writeCookie(request, cookie, token, LONGEST_SECONDS[cookie]));
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', writeCookie(request, 'session', '', 0));
}

/** 32 random bytes in base64url. */
const TOKEN = /^[\w-]{43}$/;

function writeCookie(request: FastifyRequest, cookie: CookieName, value: string, seconds: number): string {
  const name = nameOfCookie(request, cookie);
  const secure = name === cookie ? '' : '; Secure';
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Only on a developer's machine is there a console without TLS, where browsers keep no `__Host-` cookie. */
function nameOfCookie({ consoleUrl }: FastifyRequest, cookie: CookieName): string {
  const url = URL.canParse(consoleUrl) ? new URL(consoleUrl) : null;
  return url?.protocol === 'http:' && isLoopbackHost(url.hostname) ? cookie : `__Host-${cookie}`;
}
