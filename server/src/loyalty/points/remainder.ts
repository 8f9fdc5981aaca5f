/**
 * The money of a purchase that is not enough for another point waits for the member's next purchase, if the program says so. All is in
 * thousandths of the currency unit.
 */
import type { Remainder } from '#members/member.ts';
import type { EarningRules } from '#program/earning-rules.ts';
import { BeyondCounting } from './countable.ts';
import type { Earning } from './factors/factor.ts';

/** What a purchase took over from those before it, as its snapshot keeps it. */
export type Carried = readonly [
  /** Below zero after some returns. */
  used: number,
  /** What was above the price of a point, which had fallen since. */
  dropped: number,
  /** The first version of the program since which remainders are carried. */
  since: number,
];

/** Returns what a purchase takes over; null if the program carries nothing, or if nobody knows who buys. */
export function carriedTo({ rules, buyer }: Earning): Carried | null {
  const { carriesSince, moneyPerPointThousandths } = rules.earning;
  if (carriesSince === null || buyer === null) return null;
  const waits = remainderOf(buyer.remainder, rules.earning);
  const used = Math.min(waits, moneyPerPointThousandths - 1);
  return [used, waits - used, carriesSince];
}

/** Returns what waits under these rules. It ends when the program stops carrying, also if it begins again. */
export function remainderOf(remainder: Remainder | null, { carriesSince }: EarningRules): number {
  return remainder !== null && remainder.since === carriesSince ? remainder.thousandths : 0;
}

/** How much more waits, or less. */
export interface RemainderChange {
  readonly thousandths: number;
  /** The first version of the program since which the purchase's remainder is carried. */
  readonly since: number;
}

/** Returns what waits after a change. A purchase from before the program stopped carrying changes nothing any more. @throws BeyondCounting */
export function withRemainder(
  remainder: Remainder | null,
  { since, thousandths }: RemainderChange,
): Remainder | null {
  if (remainder !== null && remainder.since > since) return remainder;
  const waits = (remainder?.since === since ? remainder.thousandths : 0) + thousandths;
  if (!Number.isSafeInteger(waits)) throw new BeyondCounting();
  return { since, thousandths: waits };
}
