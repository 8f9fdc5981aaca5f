import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { type Issue, NOT_AN_OBJECT, NOT_JSON } from '#problems/invalid-request.ts';

const MAX_DEPTH = 16;

/** A body that is not valid JSON. Validation reports it together with the other issues of the request. */
export class UnreadableBody {
  readonly issue: Issue;

  constructor(issue: Issue) {
    this.issue = issue;
  }
}

/**
 * Parses every body as JSON and never fails. Routes without a body ignore it. Routes with a body report it if it is
 * unreadable, together with all other issues.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // `*` would be enough, but Fastify only caches the parsers of types that are named.
  app.addContentTypeParser(['application/json', '*'], { parseAs: 'buffer' }, (request, body, done) => {
    done(null, parseBody(request.headers['content-type'], body as Buffer));
  });
}

/** Returns the value of the body, undefined if the body is empty, or why it could not be read. */
function parseBody(contentType: string | undefined, body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (contentType === undefined || !JSON_TYPE.test(contentType))
    return new UnreadableBody({ loc: ['body'], ...NOT_AN_OBJECT });
  const text = body.toString('utf8');
  if (!isUtf8(body)) return unreadableAt(text.indexOf('\ufffd'));
  let value: unknown;
  try {
    value = MAY_LOSE_A_FRACTION.test(text) ? parseWithSource(text, keepFractions) : JSON.parse(text);
  } catch (error) {
    return unreadableAt(findSyntaxError(text, error));
  }
  if (!isShallow(value, MAX_DEPTH)) return unreadableAt(0);
  return value;
}

/** TypeScript's own declaration lacks the third argument of a reviver, which has the source text. */
const parseWithSource = JSON.parse as (
  text: string,
  revive: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

const JSON_TYPE = /^\s*application\/([a-z0-9!#$&^_.-]+\+)?json\s*(;|$)/i;

/** A double holds about 16 digits, so only a longer number or one with a negative exponent can lose its fraction. */
const MAY_LOSE_A_FRACTION = /[\d.]{16}|[\d.]e-/i;

/**
 * Returns NaN for a number whose fraction is lost by rounding (4503599627370497.4, 1e-400), so that it is not taken for
 * an integer. JSON itself cannot contain NaN. Integers beyond the safe range need no check here: they stay beyond it
 * when rounded.
 */
function keepFractions(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value)) return value;
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(context.source ?? '') ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const lost = point < digits.length && /[1-9]/.test(point <= 0 ? digits : digits.slice(point));
  return lost ? Number.NaN : value;
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

function unreadableAt(offset: number): UnreadableBody {
  return new UnreadableBody({ loc: ['body', Math.max(0, offset)], ...NOT_JSON });
}

/**
 * Returns the offset of the syntax error: the first character that is not part of a token, else the parser's position,
 * else the end.
 */
function findSyntaxError(text: string, error: unknown): number {
  let end = 0;
  for (const [token] of text.matchAll(TOKENS)) end += token.length;
  while (end < text.length && ' \t\n\r'.includes(text.charAt(end))) end += 1;
  if (end < text.length) return end;
  const position = error instanceof Error ? / at position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? text.length : Number(position);
}

/** Matches consecutive tokens without gaps. */
const TOKENS =
  /[ \t\n\r]*(?:[[\]{},:]|"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true\b|false\b|null\b)/guy;

/** Returns true if nothing is nested deeper than `levels`. Code that handles the body later can then recurse safely. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  for (const inner of Object.values(value)) if (!isShallow(inner, levels - 1)) return false;
  return true;
}
