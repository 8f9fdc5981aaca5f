import { useLayoutEffect } from 'react';
import { colorsOf } from '../place.ts';

const current: { link: HTMLLinkElement | null } = { link: null };

/** Puts the colors on the page that follow from the chosen one. The last ones stay until the new ones are there. */
export function useLiveColors(color: string): void {
  useLayoutEffect(() => {
    if (!/^#[0-9a-f]{6}$/i.test(color)) return;
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = colorsOf(color);
    const before = current.link;
    current.link = link;
    link.addEventListener('load', () => before?.remove());
    document.head.append(link);
  }, [color]);
  useLayoutEffect(
    () => () => {
      current.link?.remove();
      current.link = null;
    },
    [],
  );
}
