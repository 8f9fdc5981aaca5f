import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Returns the view that the address names after `#`, or the first view if it names none. */
export function useView<V extends string>(views: readonly [V, ...V[]]): V {
  const named = () => views.find((view) => `#${view}` === location.hash) ?? views[0];
  const [view, setView] = useState<V>(named);
  useEffect(() => {
    const follow = () => {
      setView(named());
      scrollTo(0, 0);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return view;
}

/**
 * Moves the focus to the heading of each new view, so that a screen reader starts at its beginning. `isNext` says that the first view
 * takes the place of something else too.
 */
export function useHeadingFocus(view: string, ready: boolean, isNext: boolean) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef<string | null>(null);
  // A layout effect runs before the member can press another key.
  useLayoutEffect(() => {
    if (!ready) return;
    if (shown.current === null ? isNext : shown.current !== view) heading.current?.focus();
    shown.current = view;
  }, [view, ready]);
  return heading;
}
