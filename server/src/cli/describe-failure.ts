import { NoConnection } from '#db/database-errors.ts';
import { Refusal } from '../refusal.ts';

/** Returns what a failed command prints. A stack trace is part of it only for a bug, with `LOG_LEVEL=debug`. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '' } = error as { code?: string };
  if (error instanceof NoConnection || UNREACHABLE.has(code))
    return `The database cannot be reached: ${messageOf(error)}.`;
  if (process.env['LOG_LEVEL'] === 'debug' && !(error instanceof Refusal))
    return error.stack ?? messageOf(error);
  return messageOf(error);
}

// No server, unknown host, no route, wrong login, unknown database. A pool that times out after two seconds has no code.
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOENT',
  '28P01',
  '28000',
  '3D000',
  '53300',
  '57P03',
]);

/** A connection that was tried at several addresses fails with a list of errors and an empty message. */
function messageOf(error: Error): string {
  if (error.message !== '') return error.message;
  return error instanceof AggregateError
    ? error.errors.map((one: Error) => one.message).join(', ')
    : error.name;
}
