import type { Program } from '@loyalty/sdk/admin';
import { createStore, type Store } from '../store.ts';

/** The changes that a person has made to the program and not published. They stay in this browser. */
export interface Draft {
  /** The version that it began from, and the program of it: with it, somebody else's changes are told from one's own. */
  readonly version: number;
  readonly from: Program;
  /** The program as it is to be. A field that was typed wrongly has what was typed. */
  readonly program: Program;
}

const stores = new Map<string, Store<Draft | null>>();

/** The draft of a person at a shop. It outlives a reload and a session, and all tabs share it. */
export function draftAt(shopId: number, email: string): Store<Draft | null> {
  const name = `loyalty/console/program/${shopId}/${email}`;
  let store = stores.get(name);
  if (store === undefined) {
    store = createStore(readDraft(name));
    store.subscribe(() => keepDraft(name, store!.get()));
    window.addEventListener('storage', ({ key }) => {
      if (key === name && !isKept(name, store!.get())) store!.set(readDraft(name));
    });
    stores.set(name, store);
  }
  return store;
}

function readDraft(name: string): Draft | null {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null') as Draft | null;
  } catch {
    return null;
  }
}

function keepDraft(name: string, draft: Draft | null): void {
  try {
    // Another tab may just have stored the same draft: do not store it again.
    if (isKept(name, draft)) return;
    if (draft === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(draft));
  } catch {
    // A browser that stores nothing: the draft then lives as long as the page.
  }
}

function isKept(name: string, draft: Draft | null): boolean {
  return localStorage.getItem(name) === (draft === null ? null : JSON.stringify(draft));
}
