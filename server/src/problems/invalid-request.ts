import { Problem } from './problem.ts';

/** One thing wrong with a request: where, in words, and as a kind that clients compare. Never what was sent. */
export interface Fault {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** 422: the request does not have the promised shape. Also for rules that only a use case can check. */
export class InvalidRequest extends Problem {
  readonly detail: readonly Fault[];

  constructor(detail: readonly Fault[]) {
    super(422, 'the request is not valid');
    this.detail = detail;
  }

  override body(): object {
    return { detail: this.detail };
  }
}

/** The words of one kind of fault; where it is gets filled in by whoever reads the value. */
export type Words = Pick<Fault, 'msg' | 'type'>;

/** Says what is wrong with the value at hand; every reader around it adds its own place to `loc`. */
export function refuse(faults: Fault[], { msg, type }: Words): undefined {
  faults.push({ loc: [], msg, type });
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
export const FORBIDDEN_NAME = { msg: 'Value error, the name __proto__ is not allowed', type: 'value_error' };
