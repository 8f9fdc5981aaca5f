import { NoConnection } from '#db/database-errors.ts';
import { tellTrouble } from '#files/tell-trouble.ts';
import { Refusal } from '#base/refusal.ts';

/** Returns what a failed command or start prints. A stack trace is part of it only for a bug, with `LOG_LEVEL=debug`. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Refusal) return messageOf(error);
  if (error instanceof NoConnection) return `The database cannot be reached: ${messageOf(error)}.`;
  if (process.env['LOG_LEVEL'] === 'debug') return error.stack ?? messageOf(error);
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (path !== undefined && syscall !== undefined && syscall !== 'connect' && !syscall.startsWith('spawn'))
    return `${path} cannot be used: ${tellTrouble(error)}.`;
  return messageOf(error);
}

/** A connection that was tried at several addresses fails with a list of errors and an empty message. */
function messageOf(error: Error): string {
  if (error.message !== '') return error.message;
  return error instanceof AggregateError
    ? error.errors.map((one: Error) => one.message).join(', ')
    : error.name;
}
