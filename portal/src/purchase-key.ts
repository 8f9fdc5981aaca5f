import { session } from './storage.ts';

/**
 * Returns the idempotency key of a purchase that has no answer yet. The key survives a closed dialog and a reload, so
 * a member who tries again pays only once.
 */
export function purchaseKey(intent: string): string {
  const kept = session.getItem(PREFIX + intent);
  if (kept !== null) return kept;
  const key = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
  session.setItem(PREFIX + intent, key);
  return key;
}

/** True if a purchase was begun and has no answer yet: whether it was made is not known. */
export function isUnanswered(intent: string): boolean {
  return session.getItem(PREFIX + intent) !== null;
}

/** Forgets the key once the service has answered: the next attempt is a new purchase. */
export function forgetPurchaseKey(intent: string): void {
  session.removeItem(PREFIX + intent);
}

const PREFIX = 'loyalty/buying/';
