/** The `earning` section of a program as the factors of a purchase read it: decimals in thousandths, instants as Dates. */
import type { Program } from './program.ts';
import { thousandths } from './values.ts';

export interface EarningRules {
  /** Currency units for one point, in thousandths. */
  readonly moneyPerPointThousandths: number;
  /** Highest amount of one purchase, in whole currency units. */
  readonly maxAmount: number;
  /** The effect of a return if the points are already spent. */
  readonly returns: 'negative' | 'clamp' | 'refuse';
  /** Periods of double points; `from` is included, `to` is not. */
  readonly doublePoints: readonly { readonly from: Date; readonly to: Date }[];
  /** Null if points can be spent at once. */
  readonly pending: PendingRule | null;
}

/** For how many days the points of a purchase wait, and what happens then if nobody has confirmed it before. */
export interface PendingRule {
  readonly days: number;
  readonly becomes: 'available' | 'cancelled';
}

/** Reads every field by name, because the database returns the keys of an object in an order of its own. */
export function earningRulesOf(earning: Program['earning']): EarningRules {
  return {
    moneyPerPointThousandths: thousandths(earning.money_per_point),
    maxAmount: earning.max_amount,
    returns: earning.returns,
    doublePoints: earning.double_points.map(({ from, to }) => ({ from: new Date(from), to: new Date(to) })),
    pending: pendingRuleOf(earning.pending),
  };
}

function pendingRuleOf(pending: Program['earning']['pending']): PendingRule | null {
  if (pending === null) return null;
  const { days, cancel_after_days: cancelled } = pending;
  return days === null ? { days: cancelled!, becomes: 'cancelled' } : { days, becomes: 'available' };
}
