import { type Fault, refuse, type Words } from '#problems/invalid-request.ts';
import * as words from '#problems/invalid-request.ts';

interface Bounds {
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  format?: string;
}

type Read = (value: unknown, faults: Fault[]) => unknown;

/**
 * Reads an integer that JavaScript holds exactly. JSON's `5`, `5.0` and `1e3` are integers, `"5"` is a string; in a
 * path, query or header only the canonical spelling counts (`01`, `+1`, `1.0`, `0x1` are refused).
 */
export function integerReader(schema: Bounds, source: 'json' | 'text'): Read {
  if (schema.format !== undefined && schema.format !== 'int64') {
    throw new Error(
      `a request schema uses the format "${schema.format}" for an integer, which is not checked`,
    );
  }
  const whatIsWrong = source === 'json' ? wrongInteger : wrongIntegerText;
  return (value, faults) => {
    const wrong = whatIsWrong(value);
    // Adding zero turns -0 into 0.
    return wrong ? refuse(faults, wrong) : within(schema, Number(value) + 0, faults);
  };
}

function wrongInteger(value: unknown): Words | undefined {
  if (typeof value === 'string' && !LOOKS_LIKE_AN_INTEGER.test(value)) return words.UNPARSABLE_INTEGER;
  if (typeof value !== 'number') return words.NOT_AN_INTEGER;
  if (Number.isSafeInteger(value)) return undefined;
  const isWhole = Number.isInteger(value) || Math.abs(value) === Number.POSITIVE_INFINITY;
  return isWhole ? words.TOO_LARGE_AN_INTEGER : words.FRACTION;
}

const LOOKS_LIKE_AN_INTEGER = /^\s*[+-]?\d+(_\d+)*(\.0+)?\s*$/;

function wrongIntegerText(value: unknown): Words | undefined {
  if (typeof value !== 'string' || !CANONICAL_INTEGER.test(value)) return words.UNPARSABLE_INTEGER;
  return Number.isSafeInteger(Number(value)) ? undefined : words.TOO_LARGE_AN_INTEGER;
}

const CANONICAL_INTEGER = /^(0|-?[1-9][0-9]*)$/;

/** Reads a finite number of a JSON body. */
export function numberReader(schema: Bounds): Read {
  return (value, faults) => {
    if (typeof value !== 'number') return refuse(faults, words.NOT_A_NUMBER);
    return Number.isFinite(value) ? within(schema, value, faults) : refuse(faults, words.NOT_FINITE);
  };
}

function within({ minimum, maximum, exclusiveMinimum }: Bounds, value: number, faults: Fault[]): unknown {
  if (minimum !== undefined && value < minimum) {
    return refuse(faults, {
      msg: `Input should be greater than or equal to ${minimum}`,
      type: 'greater_than_equal',
    });
  }
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    return refuse(faults, { msg: `Input should be greater than ${exclusiveMinimum}`, type: 'greater_than' });
  }
  if (maximum !== undefined && value > maximum) {
    return refuse(faults, {
      msg: `Input should be less than or equal to ${maximum}`,
      type: 'less_than_equal',
    });
  }
  return value;
}
