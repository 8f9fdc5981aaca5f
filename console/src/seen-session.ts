const KEY = 'loyalty/console/signed-in';

/**
 * False if nobody has signed in with this browser. The session's cookie cannot be read by a page, and asking the service
 * for a session that does not exist is an error in the browser's log.
 */
export function mayBeSignedIn(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    // A browser that keeps nothing for the page may still keep the cookie.
    return true;
  }
}

export function noteSignedIn(isSignedIn: boolean): void {
  try {
    // The time tells other tabs that it is another session.
    if (isSignedIn) localStorage.setItem(KEY, String(Date.now()));
    else localStorage.removeItem(KEY);
  } catch {
    // Then the service is asked each time.
  }
}

/** Calls when somebody has signed in or out in another tab: all tabs share the cookie. */
export function onSignInElsewhere(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => key === KEY && listener();
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
