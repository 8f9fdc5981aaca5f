import { useLayoutEffect } from 'react';
import { colorsOf } from '../place.ts';

/** Puts the colors on the page that follow from the shop's own. */
export function useShopColors(color: string): void {
  useLayoutEffect(() => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = colorsOf(color);
    document.head.append(link);
    return () => link.remove();
  }, [color]);
}
