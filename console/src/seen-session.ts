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
    if (isSignedIn) localStorage.setItem(KEY, 'yes');
    else localStorage.removeItem(KEY);
  } catch {
    // Then the service is asked each time.
  }
}
