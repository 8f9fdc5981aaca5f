import type { Needed } from '#points/past-purchases.ts';
import type { PastPurchase } from '#points/purchase-facts.ts';

/**
 * The purchases of a member that limits count, by id. What a limit needs is found without a look at the others, so the next purchase
 * of a member with a long history costs no more than the first.
 */
export class CountedPurchases {
  readonly #purchases = new Map<number, PastPurchase>();
  /** Ids by rule that was used. */
  readonly #uses = new Map<string, number[]>();
  /** In the order of their instants. A purchase that is gone keeps its place. */
  #places: Place[] = [];

  get(id: number): PastPurchase | undefined {
    return this.#purchases.get(id);
  }

  add(id: number, purchase: PastPurchase): void {
    const atMs = purchase.at.getTime();
    this.#purchases.set(id, purchase);
    this.#places.splice(firstSince(this.#places, atMs + 1), 0, { id, atMs });
    for (const rule of purchase.used) {
      const ids = this.#uses.get(rule);
      if (ids === undefined) this.#uses.set(rule, [id]);
      else ids.push(id);
    }
  }

  /** Changes the points of a purchase that is there. */
  setPoints(id: number, points: number): void {
    this.#purchases.set(id, { ...this.#purchases.get(id)!, points });
  }

  delete(id: number): void {
    this.#purchases.delete(id);
  }

  /** Returns those since an instant, and before it those that used a rule whose uses count for ever. */
  needed({ from, ever }: Needed): PastPurchase[] {
    const recent = from === null ? [] : this.#places.slice(firstSince(this.#places, from.getTime()));
    const ids = new Set([
      ...recent.map(({ id }) => id),
      ...ever.flatMap((rule) => this.#uses.get(rule) ?? []),
    ]);
    return [...ids].flatMap((id) => this.#purchases.get(id) ?? []);
  }

  /** Returns purchases that go on from here by themselves. */
  fork(): CountedPurchases {
    const forked = new CountedPurchases();
    for (const [id, purchase] of this.#purchases) forked.#purchases.set(id, purchase);
    for (const [rule, ids] of this.#uses) forked.#uses.set(rule, [...ids]);
    forked.#places = [...this.#places];
    return forked;
  }
}

interface Place {
  readonly id: number;
  readonly atMs: number;
}

/** Returns where the first purchase stands that is not before an instant. */
function firstSince(places: readonly Place[], atMs: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (places[middle]!.atMs < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
