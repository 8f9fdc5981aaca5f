import type { Program } from '@loyalty/sdk/admin';
import { createStore, type Store } from '../store.ts';
import { isObject } from './paths.ts';

/** The changes that a person has made to the program and not published. They stay in this browser. */
export interface Draft {
  /** The version that it began from, and the program of it: with it, somebody else's changes are told from one's own. */
  readonly version: number;
  readonly from: Program;
  /** The program as it is to be. A field that was typed wrongly has what was typed. */
  readonly program: Program;
}

const stores = new Map<string, Store<Draft | null>>();

/**
 * The draft of a person at a shop. It outlives a reload and a session, and all tabs share it. Parts of the program that an older release
 * of the console did not know are as in the program in force.
 */
export function draftAt(shopId: number, email: string, inForce: Program): Store<Draft | null> {
  const name = `loyalty/console/program/${shopId}/${email}`;
  let store = stores.get(name);
  if (store === undefined) {
    store = createStore(readDraft(name, inForce));
    store.subscribe(() => keepDraft(name, store!.get()));
    window.addEventListener('storage', ({ key }) => {
      if (key === name && !isKept(name, store!.get())) store!.set(readDraft(name, inForce));
    });
    stores.set(name, store);
  }
  return store;
}

/** Returns null if there is no draft, or none that can be read. */
function readDraft(name: string, inForce: Program): Draft | null {
  try {
    const { version, from, program } = JSON.parse(localStorage.getItem(name) ?? 'null') as Partial<Draft>;
    if (typeof version !== 'number' || !isObject(from) || !isObject(program)) return null;
    return { version, from: complete(from, inForce), program: complete(program, inForce) };
  } catch {
    return null;
  }
}

/** Returns a value with the fields that it lacks, as they are in force. @throws TypeError if the two are not of one kind */
function complete<T>(kept: T | undefined, inForce: T): T {
  if (kept === undefined) return inForce;
  if (Array.isArray(inForce) ? !Array.isArray(kept) : isObject(inForce) && kept !== null && !isObject(kept))
    throw new TypeError('this is not a program');
  if (!isObject(kept) || !isObject(inForce)) return kept;
  const keys = Object.keys({ ...inForce, ...kept });
  return Object.fromEntries(keys.map((key) => [key, complete(kept[key], inForce[key])])) as T;
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
