import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { ErrorCode } from '#problems/error-codes.ts';
import { type Issue, NOT_AN_OBJECT, NOT_JSON } from '#problems/invalid-request.ts';
import { Problem } from '#problems/problem.ts';

const MAX_DEPTH = 16;

/** A body that is not valid JSON. Validation reports it together with the other issues of the request. */
export class UnreadableBody {
  readonly issue: Issue;
  readonly code: ErrorCode;
  readonly hint: string;

  constructor(issue: Issue, code: ErrorCode, hint: string) {
    this.issue = issue;
    this.code = code;
    this.hint = hint;
  }
}

/** Advice about a body that is not declared as JSON. */
export const SEND_JSON =
  'Send the header "Content-Type: application/json". Without it, curl -d sends a form. Then send the body as JSON.';

/**
 * Parses every body as JSON and never fails. Routes without a body ignore it. Routes with a body report it if it is
 * unreadable, together with all other issues.
 * @param usualBytes the longest body of most routes
 */
export function readJsonBodies(app: FastifyInstance, usualBytes: number): void {
  app.removeAllContentTypeParsers();
  // Fastify refuses a header that is no media type before anything else is looked at.
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const type = headers['content-type'];
    if (type !== undefined && !MEDIA_TYPE.test(type)) headers['content-type'] = UNKNOWN_TYPE;
    done();
  });
  // `*` would be enough, but Fastify only caches the parsers of types that are named.
  app.addContentTypeParser(['application/json', '*'], { parseAs: 'buffer' }, (request, body, done) => {
    const value = parseBody(request.headers, body as Buffer);
    const { longOnlyWith } = request.routeOptions.config;
    const isTooLarge =
      longOnlyWith !== undefined && body.length > usualBytes && !hasField(value, longOnlyWith);
    done(isTooLarge ? new BodyTooLarge(usualBytes) : null, value);
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The field for which the route takes a body that is longer than usual. Without it, the usual limit holds. */
    longOnlyWith?: string;
  }
}

/** The body is longer than the route takes. */
export class BodyTooLarge extends Problem {
  constructor(bytes: number) {
    super(413, 'body_too_large', `the body is too large: send at most ${bytes / 1024} KiB`);
  }
}

function hasField(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}

/** Returns the value of the body, undefined if the body is empty, or why it could not be read. */
function parseBody(headers: IncomingHttpHeaders, body: Buffer): unknown {
  const contentType = headers['content-type'];
  if (body.length === 0) return undefined;
  if (contentType === undefined || !JSON_TYPE.test(contentType))
    return new UnreadableBody({ loc: ['body'], ...NOT_AN_OBJECT }, 'wrong_content_type', SEND_JSON);
  const text = body.toString('utf8');
  if (!isUtf8(body))
    return unreadableAt(
      text.indexOf('\ufffd'),
      adviceOnBytes(headers, body) ?? 'Send the body in UTF-8.',
      text,
    );
  let value: unknown;
  try {
    value = MAY_LOSE_A_FRACTION.test(text) ? parseWithSource(text, keepFractions) : JSON.parse(text);
  } catch (error) {
    const at = findSyntaxError(text, error);
    return unreadableAt(at, adviceOnBytes(headers, body) ?? adviceOn(text, at, error), text);
  }
  if (!isShallow(value, MAX_DEPTH))
    return unreadableAt(0, `Send objects and arrays that are at most ${MAX_DEPTH} deep.`, text);
  return value;
}

/** TypeScript's own declaration lacks the third argument of a reviver, which has the source text. */
const parseWithSource = JSON.parse as (
  text: string,
  revive: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

/** A media type by RFC 9110, section 8.3.1. Parameters do not matter. */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/** What bytes are that nobody names (RFC 9110, section 8.3). */
const UNKNOWN_TYPE = 'application/octet-stream';

export const JSON_TYPE = /^\s*application\/([a-z0-9!#$&^_.-]+\+)?json\s*(;|$)/i;

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

function unreadableAt(at: number, advice: string, text: string): UnreadableBody {
  const offset = Math.max(0, at);
  const before = text.slice(0, offset).split('\n');
  const place = `line ${before.length}, column ${before.at(-1)!.length + 1}`;
  const hint = `The body is not valid JSON at character ${offset + 1} (${place}). ${advice}`;
  return new UnreadableBody({ loc: ['body', offset], ...NOT_JSON }, 'not_json', hint);
}

/** Returns what is wrong with the bytes of a body that is not JSON: how it was packed or saved. */
function adviceOnBytes(headers: IncomingHttpHeaders, body: Buffer): string | undefined {
  const isPacked = (headers['content-encoding'] ?? 'identity') !== 'identity' || startsWith(body, 0x1f, 0x8b);
  if (isPacked) return 'The body is compressed: send it as it is, without Content-Encoding.';
  if (startsWith(body, 0xef, 0xbb, 0xbf))
    return 'It begins with a byte order mark: save the file as UTF-8 without BOM.';
  const isUtf16 = startsWith(body, 0xff, 0xfe) || startsWith(body, 0xfe, 0xff);
  return isUtf16 || body[0] === 0 || body[1] === 0 ? 'It is in UTF-16: send it in UTF-8.' : undefined;
}

function startsWith(body: Buffer, ...bytes: number[]): boolean {
  return bytes.every((byte, i) => body[i] === byte);
}

/** Returns what is probably wrong with a text that is not JSON, at the offset of the error. */
function adviceOn(text: string, at: number, error: unknown): string {
  if (text.startsWith("'"))
    return 'Your shell has sent its quotes: on Windows, use double quotes and escape the inner ones.';
  if (error instanceof Error && error.message.includes('after JSON'))
    return 'The JSON ends before it: send one value and nothing after it.';
  const rest = text.slice(at, at + 10);
  const before = text.slice(0, at).trimEnd();
  if (before.endsWith(',') && /^[}\]]/.test(rest)) return 'Take away the comma before it.';
  if (/^(?:\/[/*]|#)/.test(rest)) return 'JSON has no comments: take it away.';
  if (/^-?(?:nan|infinity)/i.test(rest)) return 'JSON has no NaN and no Infinity: send a number.';
  if (/^(?:undefined|None|True|False)/.test(rest)) return 'Write true, false and null, in small letters.';
  if (/^[\u2018-\u201f]/.test(rest))
    return 'These are the quotes of a text editor: use straight double quotes.';
  if (/[^\d.]-?0$/.test(before.slice(-3)) && /^\d/.test(rest)) return 'A number must not begin with a zero.';
  return /^\s*[{[]/.test(text)
    ? 'Look for a missing quote, comma or bracket: names and texts need double quotes.'
    : 'Send a JSON object: {"name": value}.';
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
