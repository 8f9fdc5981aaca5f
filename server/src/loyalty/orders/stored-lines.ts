import { compileReader } from '#request/compile-reader.ts';
import type { Issue } from '#problems/invalid-request.ts';
import { OrderLines } from './wire.ts';

const read = compileReader(OrderLines, 'json');

/** Returns true if the service could have stored these lines of an order. */
export function isStoredLines(value: unknown): boolean {
  const issues: Issue[] = [];
  read(value, issues);
  return value !== null && issues.length === 0;
}
