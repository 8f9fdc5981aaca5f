import type { KeptLine } from './line.ts';

/**
 * Shares a whole amount out in proportion to whole weights, by largest remainder: of equal remainders the first gets more. The shares add
 * up to the amount, and none is above its weight if the amount is at most the sum of the weights. All weights 0: the first gets all.
 */
export function shareOut(amount: number, weights: readonly number[]): number[] {
  const total = BigInt(weights.reduce((sum, weight) => sum + weight, 0));
  if (total === 0n) return weights.map((_, i) => (i === 0 ? amount : 0));
  const exact = weights.map((weight) => BigInt(amount) * BigInt(weight));
  const shares = exact.map((product) => Number(product / total));
  const left = amount - shares.reduce((sum, share) => sum + share, 0);
  const byRemainder = exact
    .map((product, place) => ({ place, rest: product % total }))
    .toSorted((one, other) => (one.rest === other.rest ? 0 : one.rest > other.rest ? -1 : 1));
  for (const { place } of byRemainder.slice(0, left)) shares[place]! += 1;
  return shares;
}

/** Returns the lines after `amount` went back of them in proportion. A unit goes once its whole price has. */
export function withoutShare(
  left: readonly KeptLine[],
  whole: readonly KeptLine[],
  amount: number,
): KeptLine[] {
  const shares = shareOut(
    amount,
    left.map(([kept]) => kept),
  );
  return keepingUnits(
    left.map(([kept], i) => kept - shares[i]!),
    left,
    whole,
  );
}

/** Returns the lines after `amount` was paid more, in proportion to what they were. */
export function withShare(left: readonly KeptLine[], whole: readonly KeptLine[], amount: number): KeptLine[] {
  const shares = shareOut(
    amount,
    whole.map(([paid]) => paid),
  );
  return left.map(([kept, units], i) => {
    const [paid, all] = whole[i]!;
    const now = kept + shares[i]!;
    return [now, Math.max(units, unitsFor(now, paid, all))];
  });
}

/** Returns lines with these amounts, and the units that are left of them. */
function keepingUnits(
  amounts: readonly number[],
  left: readonly KeptLine[],
  whole: readonly KeptLine[],
): KeptLine[] {
  const isGone = amounts.every((amount) => amount === 0);
  return amounts.map((amount, i) => {
    const [paid, all] = whole[i]!;
    return [amount, isGone ? 0 : Math.min(left[i]![1], unitsFor(amount, paid, all))];
  });
}

/** Returns the units of which this amount is left. A line that cost nothing keeps its units for as long as anything of the purchase counts. */
export function unitsFor(amount: number, paid: number, units: number): number {
  if (paid === 0 || amount >= paid) return units;
  return Number((BigInt(units) * BigInt(amount) + BigInt(paid) - 1n) / BigInt(paid));
}
