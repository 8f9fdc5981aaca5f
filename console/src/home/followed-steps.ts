import { createStore, type Store } from '../store.ts';

const stores = new Map<number, Store<readonly string[]>>();

/** The first steps of a shop that somebody has followed in this browser. */
export function followedAt(shopId: number): Store<readonly string[]> {
  let store = stores.get(shopId);
  if (store === undefined) stores.set(shopId, (store = createStore(readFollowed(shopId))));
  return store;
}

/** Notes that a step was followed: it is not proposed again. */
export function follow(shopId: number, step: string): void {
  const store = followedAt(shopId);
  store.set([...new Set([...store.get(), step])]);
  try {
    localStorage.setItem(nameOf(shopId), JSON.stringify(store.get()));
  } catch {
    // A browser that stores nothing proposes it again after a reload.
  }
}

function readFollowed(shopId: number): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(nameOf(shopId)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((step) => typeof step === 'string') : [];
  } catch {
    return [];
  }
}

const nameOf = (shopId: number) => `loyalty/console/steps/${shopId}`;
