import { useEffect, useLayoutEffect, useRef } from 'react';

/** True while the page of a way back is drawn. */
let isBack = false;
// Heard before the router hears of it, which draws the page at once.
addEventListener('popstate', () => (isBack = true));

/**
 * A page that somebody moves to begins at its top. The keyboard starts there too, unless the page has put the focus somewhere itself.
 * On the way back the browser, or the page, knows the place.
 */
export function useTopOnMove(main: { current: HTMLElement | null }, path: string): void {
  const before = useRef(path);
  // Before the page scrolls to a field of its own.
  useLayoutEffect(() => {
    if (before.current !== path && !isBack) scrollTo(0, 0);
    isBack = false;
  }, [path]);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    const { activeElement } = document;
    if (activeElement === document.body || main.current?.contains(activeElement) !== true)
      main.current?.focus({ preventScroll: true });
  }, [main, path]);
}
