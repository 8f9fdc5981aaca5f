/** Where a tab keeps the acts whose outcome is not known. */
export const KEPT_ACTS = 'loyalty/console/acts';

/** Forgets them: they are no business of whoever signs in next. */
export function forgetKeptActs(): void {
  try {
    sessionStorage.removeItem(KEPT_ACTS);
  } catch {
    // A browser that stores nothing has nothing to forget.
  }
}
