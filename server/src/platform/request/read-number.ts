import { type Issue, addIssue, type IssueText } from '#problems/invalid-request.ts';
import * as texts from '#problems/invalid-request.ts';

interface Bounds {
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  format?: string;
}

type Read = (value: unknown, issues: Issue[]) => unknown;

/**
 * Compiles a reader for safe integers. In JSON `5`, `5.0` and `1e3` are integers and `"5"` is a string. In a path,
 * query or header only the canonical notation is accepted (`01`, `+1`, `1.0` and `0x1` are refused).
 */
export function compileInteger(schema: Bounds, source: 'json' | 'text'): Read {
  if (schema.format !== undefined && schema.format !== 'int64') {
    throw new Error(
      `a request schema uses the format "${schema.format}" for an integer, which is not checked`,
    );
  }
  const findIssue = source === 'json' ? findIntegerIssue : findIntegerTextIssue;
  return (value, issues) => {
    const wrong = findIssue(value);
    // Adding zero converts -0 to 0.
    return wrong ? addIssue(issues, wrong) : checkBounds(schema, Number(value) + 0, issues);
  };
}

function findIntegerIssue(value: unknown): IssueText | undefined {
  if (typeof value === 'string' && !LOOKS_LIKE_AN_INTEGER.test(value)) return texts.UNPARSABLE_INTEGER;
  if (typeof value !== 'number') return texts.NOT_AN_INTEGER;
  if (Number.isSafeInteger(value)) return undefined;
  const isWhole = Number.isInteger(value) || Math.abs(value) === Number.POSITIVE_INFINITY;
  return isWhole ? texts.TOO_LARGE_AN_INTEGER : texts.FRACTION;
}

const LOOKS_LIKE_AN_INTEGER = /^\s*[+-]?\d+(_\d+)*(\.0+)?\s*$/;

function findIntegerTextIssue(value: unknown): IssueText | undefined {
  if (typeof value !== 'string' || !CANONICAL_INTEGER.test(value)) return texts.UNPARSABLE_INTEGER;
  return Number.isSafeInteger(Number(value)) ? undefined : texts.TOO_LARGE_AN_INTEGER;
}

const CANONICAL_INTEGER = /^(0|-?[1-9][0-9]*)$/;

/** Compiles a reader for finite numbers in a JSON body. */
export function compileNumber(schema: Bounds): Read {
  return (value, issues) => {
    if (typeof value !== 'number') return addIssue(issues, texts.NOT_A_NUMBER);
    return Number.isFinite(value) ? checkBounds(schema, value, issues) : addIssue(issues, texts.NOT_FINITE);
  };
}

function checkBounds(
  { minimum, maximum, exclusiveMinimum }: Bounds,
  value: number,
  issues: Issue[],
): unknown {
  if (minimum !== undefined && value < minimum) {
    return addIssue(issues, {
      msg: `Input should be greater than or equal to ${minimum}`,
      type: 'greater_than_equal',
    });
  }
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    return addIssue(issues, {
      msg: `Input should be greater than ${exclusiveMinimum}`,
      type: 'greater_than',
    });
  }
  if (maximum !== undefined && value > maximum) {
    return addIssue(issues, {
      msg: `Input should be less than or equal to ${maximum}`,
      type: 'less_than_equal',
    });
  }
  return value;
}
