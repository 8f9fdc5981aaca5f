import { normaliseEmail, whyNoEmail } from '#text/email-address.ts';
import { type Fault, refuse, type Words } from '#problems/invalid-request.ts';
import * as words from '#problems/invalid-request.ts';

interface Keywords {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
}

/**
 * Reads a text that can be stored as it was sent. Lengths count code points. With a format the handler gets the value
 * that it stands for: an address in its normal form (`email`), a Date (`date-time`).
 */
export function stringReader(schema: Keywords): (value: unknown, faults: Fault[]) => unknown {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const readFormat = format === undefined ? undefined : formatReader(format);
  return (value, faults) => {
    if (typeof value !== 'string') return refuse(faults, words.NOT_A_STRING);
    if (!isStorable(value)) return refuse(faults, words.NOT_UNICODE);
    if (value.length < minLength * 2 && characters(value) < minLength) {
      return refuse(faults, wrongLength('at least', 'string_too_short', minLength));
    }
    if (value.length > maxLength && characters(value) > maxLength) {
      return refuse(faults, wrongLength('at most', 'string_too_long', maxLength));
    }
    if (expression && !expression.test(value)) {
      return refuse(faults, {
        msg: `String should match pattern '${pattern}'`,
        type: 'string_pattern_mismatch',
      });
    }
    return readFormat ? readFormat(value, faults) : value;
  };
}

/** Neither U+0000, which PostgreSQL refuses, nor half a surrogate pair, which UTF-8 silently replaces. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function characters(text: string): number {
  return Array.from(text).length;
}

function wrongLength(bound: string, type: string, limit: number): Words {
  return { msg: `String should have ${bound} ${limit} ${limit === 1 ? 'character' : 'characters'}`, type };
}

function formatReader(format: string): (text: string, faults: Fault[]) => unknown {
  switch (format) {
    case 'email':
      return email;
    case 'date':
      return (text, faults) => (isDay(text) ? text : refuse(faults, words.NOT_A_DATE));
    case 'date-time':
      return instant;
    case 'uri':
      return (text, faults) =>
        /^https:/i.test(text) && URL.canParse(text) ? text : refuse(faults, words.NOT_A_URL);
    default:
      throw new Error(`a request schema uses the format "${format}", which is not checked`);
  }
}

function email(text: string, faults: Fault[]): unknown {
  const address = normaliseEmail(text);
  if (address !== null) return address;
  return refuse(faults, {
    msg: `value is not a valid email address: ${whyNoEmail(text)}`,
    type: 'value_error',
  });
}

/** A day that exists: V8 reads 30 February as 2 March. */
function isDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function instant(text: string, faults: Fault[]): unknown {
  const day = INSTANT.exec(text)?.[1];
  const at = day !== undefined && isDay(day) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? refuse(faults, words.NOT_AN_INSTANT) : new Date(at);
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
