import type { Language } from '#text/language.ts';
import type { Rules, Tier } from '#program/rules.ts';
import type { Kept } from '../line.ts';
import type { BuyerSoFar, PurchaseFacts } from '../purchase-facts.ts';
import type { RulesOnPurchase } from '../rules-on-purchase.ts';

/**
 * One step from the money of a purchase to its points. To add a factor, add a file here, an entry in the list of
 * `points-for-purchase.ts` and a check in `books/check-factors.ts`.
 */
export interface Factor<Kind extends string, Said extends readonly unknown[]> {
  /** Its name in the snapshot of a purchase. Snapshots are kept forever, so a name must never change its meaning. */
  readonly kind: Kind;
  /** The values kept in the purchase's snapshot; null if it changes nothing. `ruled` is null if no rule of the program applies. */
  says(purchase: Earning, ruled: RulesOnPurchase | null): Said | null;
  /**
   * Returns the figure after it, in whole points. The first factor takes the amount of money, each later one takes points. Less that is
   * kept of a purchase must never give more.
   */
  after(figure: bigint, kept: Kept, ...said: Said): bigint;
  /** Returns the explanation for a member; null if it changed nothing. */
  tell(step: ToldStep, ...said: Said): string | null;
  /** Returns what it does, as it is printed in a column: `× 1.5`; and its name, null if that goes without saying. */
  line(told: Omit<ToldStep, 'after' | 'points'>, ...said: Said): { formula: string; name: string | null };
  /** Returns its name for a line of the history; null for the price of a point, which every purchase has. */
  name(told: Pick<ToldStep, 'language' | 'number' | 'kept'>, ...said: Said): string | null;
}

/** A purchase as its factors see it. */
export interface Earning extends PurchaseFacts {
  /** The tier whose multiplier applies: held before the purchase and not expired. */
  readonly tier: Tier | null;
  readonly rules: Rules;
  /** What is known of the buyer; null for a visitor. */
  readonly buyer: BuyerSoFar | null;
}

/** A step to be explained in the commerce's language. */
export interface ToldStep {
  /** The purchase. */
  readonly kept: Kept;
  /** The figures before and after it. */
  readonly before: number;
  readonly after: number;
  readonly language: Language;
  /** Formats a number for the locale. */
  readonly number: (value: number) => string;
  /** Formats a number of points: `1 point`. */
  readonly points: (count: number) => string;
}
