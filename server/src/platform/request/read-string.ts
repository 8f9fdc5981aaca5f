import { isDay } from '#calendar/calendar.ts';
import { readInstant } from '#calendar/instant.ts';
import { normaliseEmail, whyNoEmail } from '#text/email-address.ts';
import { isStorable } from '#text/plain-text.ts';
import { isWebAddress } from '#text/web-address.ts';
import { type Issue, addIssue, type IssueText } from '#problems/invalid-request.ts';
import * as texts from '#problems/invalid-request.ts';

interface Keywords {
  minLength?: number;
  maxLength?: number;
  'x-max-length'?: number;
  pattern?: string;
  format?: string;
}

/**
 * Compiles a reader for strings, which are passed on unchanged. Lengths count code points. With a format the handler
 * gets the parsed value: a normalised address for `email`, a Date for `date-time`.
 */
export function compileString(schema: Keywords): (value: unknown, issues: Issue[]) => unknown {
  const { minLength = 0, pattern, format } = schema;
  const maxLength = schema.maxLength ?? schema['x-max-length'] ?? Number.POSITIVE_INFINITY;
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const readFormat = format === undefined ? undefined : compileFormat(format);
  return (value, issues) => {
    if (typeof value !== 'string') return addIssue(issues, texts.NOT_A_STRING);
    if (!isStorable(value)) return addIssue(issues, texts.NOT_UNICODE);
    if (value.length < minLength * 2 && countCharacters(value) < minLength) {
      return addIssue(issues, lengthIssue('at least', 'string_too_short', minLength));
    }
    if (value.length > maxLength && countCharacters(value) > maxLength) {
      return addIssue(issues, lengthIssue('at most', 'string_too_long', maxLength));
    }
    if (expression && !expression.test(value)) {
      return addIssue(issues, {
        msg: `String should match pattern '${pattern}'`,
        type: 'string_pattern_mismatch',
      });
    }
    return readFormat ? readFormat(value, issues) : value;
  };
}

function countCharacters(text: string): number {
  return Array.from(text).length;
}

function lengthIssue(bound: string, type: string, limit: number): IssueText {
  return { msg: `String should have ${bound} ${limit} ${limit === 1 ? 'character' : 'characters'}`, type };
}

function compileFormat(format: string): (text: string, issues: Issue[]) => unknown {
  switch (format) {
    case 'email':
      return readEmail;
    case 'date':
      return (text, issues) => (isDay(text) ? text : addIssue(issues, texts.NOT_A_DATE));
    case 'date-time':
      return (text, issues) => readInstant(text) ?? addIssue(issues, texts.NOT_AN_INSTANT);
    case 'uri':
      return (text, issues) => (isWebAddress(text) ? text : addIssue(issues, texts.NOT_A_URL));
    default:
      throw new Error(`a request schema uses the format "${format}", which is not checked`);
  }
}

function readEmail(text: string, issues: Issue[]): unknown {
  const address = normaliseEmail(text);
  if (address !== null) return address;
  return addIssue(issues, {
    msg: `value is not a valid email address: ${whyNoEmail(text)}`,
    type: 'value_error',
  });
}
