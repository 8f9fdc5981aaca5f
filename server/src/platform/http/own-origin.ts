import type { FastifyRequest } from 'fastify';
import { InvalidRequest, NOT_AN_OBJECT } from '#problems/invalid-request.ts';
import { Problem } from '#problems/problem.ts';
import { JSON_TYPE, SEND_JSON } from '#request/json-body.ts';

/** The page that sent the call is not one of ours, or the browser does not say which one it is. */
export class WrongOrigin extends Problem {
  constructor(own: string) {
    super(403, 'wrong_origin', `send this call from a page of ${own}, with its Origin header`);
  }
}

/**
 * Returns why a write with a cookie is refused. A browser sends the cookie with calls that other pages make, too, but no
 * page can choose the `Origin` of its calls, and a page of another origin cannot declare a body as JSON without asking first.
 */
export function whyForeign(request: FastifyRequest): Problem | undefined {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const own = originOf(request.consoleUrl);
  const { origin, 'content-type': type } = request.raw.headers;
  if (origin === undefined || own === null || origin !== own) return new WrongOrigin(own ?? 'the console');
  if (type !== undefined && !JSON_TYPE.test(type))
    return new InvalidRequest([{ loc: ['body'], ...NOT_AN_OBJECT }], 'wrong_content_type', SEND_JSON);
  return undefined;
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
