import { newIdempotencyKey, type PurchaseToRecord } from '@loyalty/sdk/admin';
import { createStore, type Store } from '../store.ts';
import type { Raw } from '../amount.ts';
import type { Sold } from './sold-lines.ts';

export type Buyer = { readonly member_id: number } | { readonly client_email: string };

/**
 * A purchase that is being typed, or was sent without an answer. Its idempotency key was made when the form opened and
 * stays with it, so a second press, a lost answer or a reload never counts twice.
 */
export interface Draft {
  readonly key: string;
  readonly buyer: Buyer;
  /** Of the buyer, for the screen. */
  readonly name: string;
  readonly amount: Raw;
  /** What of it was sold, where somebody said so. */
  readonly sold?: readonly Sold[];
  /** The purchase that was sent under the key. Null until the purchase is recorded for the first time. */
  readonly sent: Sent | null;
}

export interface Sent {
  readonly body: PurchaseToRecord;
  /** `unsent`: there was no network, so it cannot have counted. `unknown`: the answer was lost, so it may have counted. */
  readonly outcome: 'sending' | 'unsent' | 'unknown';
}

export interface Drafts {
  /** The one on the screen. */
  readonly open: Draft | null;
  /** Typed before the page was loaded again, and not recorded. It waits until somebody wants it. */
  readonly left: Draft | null;
  /** Sent, and put aside for the next customer before it was known whether they counted. */
  readonly aside: readonly Draft[];
}

export function createDraft(buyer: Buyer, name: string): Draft {
  return { key: newIdempotencyKey(), buyer, name, amount: '', sent: null };
}

/** True if it may have counted, so it must be repeated as it was sent. */
export function mayHaveCounted({ sent }: Draft): boolean {
  return sent !== null && sent.outcome !== 'unsent';
}

export const isSameBuyer = (a: Buyer, b: Buyer): boolean => JSON.stringify(a) === JSON.stringify(b);

const stores = new Map<number, Store<Drafts>>();

/** The drafts of this tab at a shop. They outlive a reload. */
export function draftsAt(shopId: number): Store<Drafts> {
  let store = stores.get(shopId);
  if (store === undefined) {
    store = createStore(readDrafts(shopId));
    store.subscribe(() => keepDrafts(shopId, store!.get()));
    stores.set(shopId, store);
  }
  return store;
}

const nameOf = (shopId: number) => `loyalty/console/till/${shopId}`;
const NOTHING: Drafts = { open: null, left: null, aside: [] };

function readDrafts(shopId: number): Drafts {
  try {
    const kept = JSON.parse(sessionStorage.getItem(nameOf(shopId)) ?? 'null') as Omit<Drafts, 'left'> & {
      readonly left?: Draft | null;
    };
    const { open, left = null } = kept;
    const aside = open !== null && open.sent !== null ? [...kept.aside, open] : kept.aside;
    // The person who comes first after a reload may be the next customer, so no form is open that would take what is typed.
    return {
      open: null,
      left: open !== null && open.sent === null && open.amount !== '' ? open : left,
      aside: aside.map(interrupted),
    };
  } catch {
    return NOTHING;
  }
}

/** The page was left while it was sent. */
function interrupted(draft: Draft): Draft {
  if (draft.sent?.outcome !== 'sending') return draft;
  return { ...draft, sent: { ...draft.sent, outcome: 'unknown' } };
}

function keepDrafts(shopId: number, drafts: Drafts): void {
  try {
    if (drafts.open === null && drafts.left === null && drafts.aside.length === 0)
      sessionStorage.removeItem(nameOf(shopId));
    else sessionStorage.setItem(nameOf(shopId), JSON.stringify(drafts));
  } catch {
    // A browser that stores nothing: the draft then lives as long as the page.
  }
}
