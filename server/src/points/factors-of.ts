import type { Step } from './points-for-purchase.ts';

/** How a purchase's snapshot keeps its factors: as a list, or flat, as release 0.1 wrote them. */
export type StoredFactors = { readonly factors: readonly Step[] } | FlatFactors;

interface FlatFactors {
  /** Currency units for one point, in thousandths. */
  readonly moneyPerPoint: number;
  /** Points of the money alone. */
  readonly base: number;
  readonly double: boolean;
  /** In thousandths; 1000 if no tier counted. */
  readonly multiplier: number;
}

/**
 * The factors of a stored purchase, whichever release recorded it. Snapshots are kept for good, so both forms must
 * always be readable. Release 0.1 did not store the tier's name: pass the one in the program of that version.
 */
export function factorsOf(stored: StoredFactors, tierName: string | null): readonly Step[] {
  if ('factors' in stored) return stored.factors;
  const { moneyPerPoint, base, double, multiplier } = stored;
  const doubled = double ? 2 * base : base;
  const steps: Step[] = [['money', base, moneyPerPoint]];
  if (double) steps.push(['double', doubled]);
  if (multiplier !== 1000)
    steps.push(['tier', Number((BigInt(doubled) * BigInt(multiplier)) / 1000n), multiplier, tierName]);
  return steps;
}
