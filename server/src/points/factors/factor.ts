import type { Rules, Tier } from '#program/rules.ts';

/**
 * One step from the money of a purchase to its points. A new factor is a file beside this one, a place in the list of
 * `points-for-purchase.ts`, and a check of its own in `ledger/check-factors.ts`.
 */
export interface Factor<Kind extends string, Said extends readonly unknown[]> {
  /** Its name in the snapshot of a purchase. Snapshots are kept for good, so a name never changes its meaning. */
  readonly kind: Kind;
  /** What the purchase's snapshot keeps of it; null if it changes nothing. */
  says(purchase: Earning): Said | null;
  /** The figure after it, in whole points. The first factor takes the amount of money, each later one takes points. */
  after(figure: bigint, ...said: Said): bigint;
  /** How it is explained to a member. */
  tell(step: ToldStep, ...said: Said): string;
}

/** A purchase as its factors see it. */
export interface Earning {
  readonly at: Date;
  /** The tier whose multiplier counts: held before the purchase, and not expired. */
  readonly tier: Tier | null;
  readonly rules: Rules;
}

/** A step to be told in the commerce's language. */
export interface ToldStep {
  /** The figures before and after it. */
  readonly before: number;
  readonly after: number;
  readonly language: 'en' | 'es';
  /** A number as the locale writes it. */
  readonly number: (value: number) => string;
  /** The same with the word: `1 point`. */
  readonly points: (count: number) => string;
}
