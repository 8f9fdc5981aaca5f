import type { Kept, KeptLine } from './line.ts';
import type { Step } from './points-for-purchase.ts';

/** The factors in a purchase's snapshot: a list, or the flat form that release 0.1 wrote. */
export type StoredFactors =
  | {
      readonly factors: readonly Step[];
      /** The lines of the purchase; absent if the shop did not say them. */
      readonly lines?: readonly KeptLine[];
    }
  | FlatFactors;

interface FlatFactors {
  /** Currency units for one point, in thousandths. */
  readonly moneyPerPoint: number;
  /** Points for the money alone. */
  readonly base: number;
  readonly double: boolean;
  /** In thousandths; 1000 if no tier applied. */
  readonly multiplier: number;
}

/**
 * Returns the factors of a stored purchase from any release. Snapshots are kept forever, so both forms must stay
 * readable. Release 0.1 did not store the tier's name: pass its name in the program version of the purchase.
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

/** Returns what counts of a stored purchase of which nothing was returned. */
export function wholeOfStored(amount: number, stored: StoredFactors): Kept {
  return { amount, lines: ('factors' in stored ? stored.lines : undefined) ?? null };
}
