import { ApiError } from '@loyalty/sdk';

/** Refusals that say something about the moment or about the key, not about the order. */
const STATUSES = new Set([401, 408, 425, 429]);
const CODES = new Set<string | null>(['scope', 'in_progress', 'paused']);
/** How often a conflict is tried: it is over after a moment if two senders met, and stays otherwise. */
const TRIES = 5;

/**
 * Returns true if the same call may succeed later: no answer, an overloaded service, a key that was replaced. Errors of the shop's own program
 * count too.
 * @param attempts how often it has failed before
 */
export function isPassing(error: unknown, attempts: number): boolean {
  if (!(error instanceof ApiError)) return true;
  const { status, code } = error;
  if (status >= 500 || STATUSES.has(status) || CODES.has(code)) return true;
  return code === 'order_conflict' && attempts < TRIES;
}

/** Returns an error in one line, for the shop's admin. */
export function wordsOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  const prefix = error instanceof ApiError && error.code !== null ? `${error.code}: ` : '';
  return `${prefix}${words}`.slice(0, 500);
}
