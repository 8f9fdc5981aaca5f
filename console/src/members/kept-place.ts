import { useEffect, useLayoutEffect, useRef } from 'react';

/** Where the person was on a page. The browser keeps it with the entry of its history, so it survives a reload too. */
interface KeptPlace {
  readonly y?: number;
  /** How many pages of a list were shown. */
  readonly pages?: number;
  /** The id of the element that had the focus. */
  readonly focus?: string;
}

export function keptPlace(): KeptPlace {
  return (history.state as { kept?: KeptPlace } | null)?.kept ?? {};
}

export function keepPlace(part: KeptPlace): void {
  history.replaceState({ ...(history.state as object | null), kept: { ...keptPlace(), ...part } }, '');
}

/**
 * Scrolls back to where the person was, once everything that was shown then is there again. A page that is new to the
 * history starts at its top. `isElsewhere` is true if the address itself says what to show.
 */
export function useKeptPlace(isReady: boolean, isElsewhere = false): void {
  const isRestored = useRef(false);
  useLayoutEffect(() => {
    history.scrollRestoration = 'manual';
    if (keptPlace().y === undefined && !isElsewhere) scrollTo(0, 0);
  }, [isElsewhere]);
  useLayoutEffect(() => {
    if (!isReady || isRestored.current) return;
    isRestored.current = true;
    const { y, focus } = keptPlace();
    if (focus !== undefined) document.getElementById(focus)?.focus({ preventScroll: true });
    if (y !== undefined) scrollTo(0, y);
  }, [isReady]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onScroll = () => {
      clearTimeout(timer);
      // Until the old place is reached, the page is still growing.
      timer = setTimeout(() => isRestored.current && keepPlace({ y: Math.round(scrollY) }), 120);
    };
    addEventListener('scroll', onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      removeEventListener('scroll', onScroll);
    };
  }, []);
}
