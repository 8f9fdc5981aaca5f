import type { ErrorCode } from './error-codes.ts';
import { hintAbout } from './hint.ts';
import { Problem } from './problem.ts';

/**
 * One thing wrong with a request: its place, a sentence, and a kind that programs can compare. It never contains the
 * value that was sent.
 */
export interface Issue {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** 422: the request is not valid. Use cases throw it too, for rules that only they can check. */
export class InvalidRequest extends Problem {
  readonly detail: readonly Issue[];

  constructor(detail: readonly Issue[], code: ErrorCode = 'invalid', hint: string = hintAbout(detail)) {
    super(422, code, 'the request is not valid', { hint });
    this.detail = detail;
  }

  override body(): object {
    return { detail: this.detail };
  }
}

/** The most fields that a 422 names as unknown. */
export const MOST_UNKNOWN = 5;

/** The text of one kind of issue. The reader of the value adds the place. */
export type IssueText = Pick<Issue, 'msg' | 'type'>;

/** Adds an issue with the current value. Each enclosing reader prepends its own place to `loc`. */
export function addIssue(issues: Issue[], { msg, type }: IssueText): undefined {
  issues.push({ loc: [], msg, type });
}

export const MISSING = { msg: 'Field required', type: 'missing' };
export const NOT_AN_OBJECT = {
  msg: 'Input should be a valid dictionary or object to extract fields from',
  type: 'model_attributes_type',
};
export const NOT_JSON = { msg: 'JSON decode error', type: 'json_invalid' };
export const NOT_AN_INTEGER = { msg: 'Input should be a valid integer', type: 'int_type' };
export const UNPARSABLE_INTEGER = {
  msg: 'Input should be a valid integer, unable to parse string as an integer',
  type: 'int_parsing',
};
export const FRACTION = {
  msg: 'Input should be a valid integer, got a number with a fractional part',
  type: 'int_from_float',
};
export const TOO_LARGE_AN_INTEGER = {
  msg: 'Unable to parse input string as an integer, exceeded maximum size',
  type: 'int_parsing_size',
};
export const NOT_A_NUMBER = { msg: 'Input should be a valid number', type: 'float_type' };
export const NOT_FINITE = { msg: 'Input should be a finite number', type: 'finite_number' };
export const NOT_A_BOOLEAN = { msg: 'Input should be a valid boolean', type: 'bool_type' };
export const UNPARSABLE_BOOLEAN = {
  msg: 'Input should be a valid boolean, unable to interpret input',
  type: 'bool_parsing',
};
export const NOT_A_STRING = { msg: 'Input should be a valid string', type: 'string_type' };
export const NOT_UNICODE = {
  msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
  type: 'string_unicode',
};
export const NOT_A_LIST = { msg: 'Input should be a valid list', type: 'list_type' };
export const NOT_A_DATE = {
  msg: 'Input should be a valid date in the format YYYY-MM-DD',
  type: 'date_parsing',
};
export const NOT_AN_INSTANT = {
  msg: 'Input should be a valid datetime with a time zone',
  type: 'datetime_parsing',
};
export const NOT_A_URL = { msg: 'Input should be a valid https URL', type: 'url_parsing' };
export const NOT_NULL = { msg: 'Input should be None', type: 'none_required' };
export const NOT_A_FIELD = { msg: 'Extra inputs are not permitted', type: 'extra_forbidden' };
export const FORBIDDEN_NAME = { msg: 'Value error, the name __proto__ is not allowed', type: 'value_error' };
