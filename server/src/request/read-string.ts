import { isDay } from '#calendar/calendar.ts';
import { readInstant } from '#calendar/instant.ts';
import { normaliseEmail, whyNoEmail } from '#text/email-address.ts';
import { isStorable } from '#text/plain-text.ts';
import { isWebAddress } from '#text/web-address.ts';
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
      return (text, faults) => readInstant(text) ?? refuse(faults, words.NOT_AN_INSTANT);
    case 'uri':
      return (text, faults) => (isWebAddress(text) ? text : refuse(faults, words.NOT_A_URL));
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
