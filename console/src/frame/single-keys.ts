import { createStore } from '../store.ts';

const KEY = 'loyalty/console/single-keys';

/**
 * Whether `/` and `?` alone do something. Anyone who dictates, or has a keyboard that types by itself, can switch it off, as WCAG 2.1.4
 * asks.
 */
export const singleKeys = createStore(read());

export function setSingleKeys(isOn: boolean): void {
  singleKeys.set(isOn);
  try {
    if (isOn) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, 'off');
  } catch {
    // Then it lasts until the page is closed.
  }
}

function read(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    return true;
  }
}
