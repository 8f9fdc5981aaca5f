import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The part of the club that the address names, among those that there are; the first where it names none. */
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

/** Moves the keyboard to the heading of a view that replaced another, so that it is read from its beginning. */
export function useHeadingFocus(view: string, ready: boolean) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef<string | null>(null);
  // Before the member can press another key.
  useLayoutEffect(() => {
    if (!ready) return;
    if (shown.current !== null && shown.current !== view) heading.current?.focus();
    shown.current = view;
  }, [view, ready]);
  return heading;
}
