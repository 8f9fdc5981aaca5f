import type { PurchaseLine } from '@loyalty/sdk/admin';

/** A product or a category, as a line says it. */
export interface Sold {
  readonly product?: string;
  readonly categories?: string[];
  /** Null for what the others leave. */
  readonly amount: number | null;
}

/** Returns the lines of a purchase: what was said, and the rest. Null where nothing was. */
export function linesOf(sold: readonly Sold[] | undefined, whole: number): PurchaseLine[] | null {
  if (!sold?.length) return null;
  let rest = whole;
  const take = (wanted: number) => {
    const got = Math.min(wanted, rest);
    rest -= got;
    return got;
  };
  const said = sold.map(({ amount }) => (amount === null ? null : take(amount)));
  return [...sold, {}]
    .map((line, at) => ({ ...line, id: `${at}`, amount: said[at] ?? take(rest) }))
    .filter(({ amount }) => amount > 0);
}
