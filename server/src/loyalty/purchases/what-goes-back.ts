import type { Commerce } from '#commerces/commerce.ts';
import type { KeptLine } from '#points/line.ts';
import { Problem } from '#problems/problem.ts';
import { smallestUnitsOf } from '#program/values.ts';

/** The amount that staff say came back: whole currency units, and cents beyond them. All that is left, if both are missing. */
export interface CameBack {
  readonly amount?: number | undefined;
  /** In the smallest unit of the currency. */
  readonly cents?: number | undefined;
}

/** A part of a purchase that goes back. The two together were paid back. */
export interface GoesBack {
  /** Whole currency units by which the purchase counts less. */
  readonly amount: number;
  /** The amount paid back above `amount`, in the smallest unit of the currency. Below zero if less than `amount` was. */
  readonly cents: number;
  /** What is left of the lines, if the shop says which came back. Otherwise it goes back in proportion. */
  readonly lines?: readonly KeptLine[];
}

/** The part of a purchase that counts, and the amount that was paid for it. */
export interface PaidPurchase {
  readonly amount: number;
  readonly reversedAmount: number;
  readonly snapshot: {
    /** The amount paid above `amount`. */
    readonly cents?: number;
  };
  /** The cents of its earlier returns. */
  readonly reversedCents: number;
}

/** Nothing is left of the purchase, less is left than requested, or its points were spent and the program forbids that. */
export class CannotBeReversed extends Problem {
  constructor(code: 'already_reversed' | 'invalid_amount' | 'points_spent', reason: string) {
    super(400, code, `the consumption could not be reversed: ${reason}`);
  }
}

/**
 * A purchase counts in the whole units of what was paid for it, and after a return in the whole units of what is still
 * paid: 3.40 is 3, and 1 after 1.70 came back. Several parts therefore add up to the whole, however they are cut.
 * @throws CannotBeReversed
 */
export function whatGoesBack(
  purchase: PaidPurchase,
  { amount, cents }: CameBack,
  { program }: Pick<Commerce, 'program'>,
): GoesBack {
  const left = purchase.amount - purchase.reversedAmount;
  if (left === 0) throw new CannotBeReversed('already_reversed', 'all of it was reversed before');
  const unit = smallestUnitsOf(program.currency);
  const over = Math.min((purchase.snapshot.cents ?? 0) - purchase.reversedCents, unit - 1);
  if (amount === undefined && cents === undefined) return { amount: left, cents: over };
  const { amount: units, cents: more } = { amount: amount ?? 0, cents: cents ?? 0 };
  if (units < 0 || (units === 0 && more === 0))
    throw new CannotBeReversed('invalid_amount', 'the amount must be above zero');
  if (more >= unit)
    throw new CannotBeReversed(
      'invalid_amount',
      `${more} cents are no part of a unit of ${program.currency}`,
    );
  if (units > left || (units === left && more > over))
    throw new CannotBeReversed(
      'invalid_amount',
      `send ${written(left, over, unit)} or less, which is what is left of it`,
    );
  // 1.70 of 3.40 leaves 1.70. Of 3 it would leave 1.30, by the unit that the cents break.
  const borrowed = more > over ? 1 : 0;
  return { amount: units + borrowed, cents: more - borrowed * unit };
}

function written(units: number, cents: number, unit: number): string {
  if (cents === 0) return String(units);
  return `${units}.${String(cents).padStart(String(unit).length - 1, '0')}`;
}
