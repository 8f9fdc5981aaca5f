/**
 * The idempotency key of a purchase that was begun and not answered. It stays until the service has said yes or no,
 * past a closed dialog and a reload: whoever tries again means the same purchase, and pays once.
 */
export function keyOf(intent: string): string {
  const kept = sessionStorage.getItem(PREFIX + intent);
  if (kept !== null) return kept;
  const key = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
  sessionStorage.setItem(PREFIX + intent, key);
  return key;
}

/** The service has answered: the next purchase is another one. */
export function settled(intent: string): void {
  sessionStorage.removeItem(PREFIX + intent);
}

const PREFIX = 'loyalty/buying/';
