import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { type Fault, NOT_AN_OBJECT, NOT_JSON } from '#problems/invalid-request.ts';

const DEEPEST = 16;

/** A body that could not be read as JSON: it becomes one fault among the others of the request. */
export class UnreadableBody {
  readonly fault: Fault;

  constructor(fault: Fault) {
    this.fault = fault;
  }
}

/**
 * Reads every body as JSON, and never fails: a route that takes no body ignores what came, one that takes a body
 * reports an unreadable one together with what else is wrong.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // `*` alone would do, but Fastify remembers the parser of a type only where it is named.
  app.addContentTypeParser(['application/json', '*'], { parseAs: 'buffer' }, (request, body, done) => {
    done(null, parseBody(request.headers['content-type'], body as Buffer));
  });
}

/** The value of a body, undefined where it is empty, or why it has none. */
function parseBody(contentType: string | undefined, body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (contentType === undefined || !JSON_TYPE.test(contentType))
    return new UnreadableBody({ loc: ['body'], ...NOT_AN_OBJECT });
  const text = body.toString('utf8');
  if (!isUtf8(body)) return malformedAt(text.indexOf('\ufffd'));
  let value: unknown;
  try {
    value = MAY_LOSE_A_FRACTION.test(text) ? parseWithSource(text, keepFractions) : JSON.parse(text);
  } catch (error) {
    return malformedAt(firstFault(text, error));
  }
  if (!isShallow(value, DEEPEST)) return malformedAt(0);
  return value;
}

/** The declarations of TypeScript do not yet know that a reviver is told the source text. */
const parseWithSource = JSON.parse as (
  text: string,
  revive: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

const JSON_TYPE = /^\s*application\/([a-z0-9!#$&^_.-]+\+)?json\s*(;|$)/i;

/** A double holds about 16 digits: only a longer number, or one with a negative exponent, can lose its fraction. */
const MAY_LOSE_A_FRACTION = /[\d.]{16}|[\d.]e-/i;

/**
 * Keeps a number with a fraction from turning into an integer by rounding (4503599627370497.4, 1e-400): it becomes NaN,
 * which JSON itself cannot carry. Integers beyond the safe ones need no care: they round to unsafe ones.
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

function malformedAt(offset: number): UnreadableBody {
  return new UnreadableBody({ loc: ['body', Math.max(0, offset)], ...NOT_JSON });
}

/** Where the text stops being JSON: at the first thing that is no token, else where the parser says, else at its end. */
function firstFault(text: string, error: unknown): number {
  let end = 0;
  for (const [token] of text.matchAll(TOKENS)) end += token.length;
  while (end < text.length && ' \t\n\r'.includes(text.charAt(end))) end += 1;
  if (end < text.length) return end;
  const position = error instanceof Error ? / at position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? text.length : Number(position);
}

/** One token after the other, without a gap. */
const TOKENS =
  /[ \t\n\r]*(?:[[\]{},:]|"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true\b|false\b|null\b)/guy;

/** Whether nothing in it is nested deeper than `levels`: whatever walks a body later may then recurse without care. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  for (const inner of Object.values(value)) if (!isShallow(inner, levels - 1)) return false;
  return true;
}
