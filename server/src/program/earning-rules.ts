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
}

/** Reads every field by name, because the database returns the keys of an object in an order of its own. */
export function earningRulesOf(earning: Program['earning']): EarningRules {
  return {
    moneyPerPointThousandths: thousandths(earning.money_per_point),
    maxAmount: earning.max_amount,
    returns: earning.returns,
    doublePoints: earning.double_points.map(({ from, to }) => ({ from: new Date(from), to: new Date(to) })),
  };
}
