import type { PurchaseSnapshot } from './decide-purchase.ts';

/** Returns when a purchase was counted: when it was made, or when the order arrived that says it was paid earlier. */
export function countedAtOf({
  at,
  snapshot: { arrived },
}: {
  readonly at: Date;
  readonly snapshot: Pick<PurchaseSnapshot, 'arrived'>;
}): Date {
  return arrived === undefined ? at : new Date(Math.max(at.getTime(), arrived));
}
