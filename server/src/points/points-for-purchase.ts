/** How many points a purchase earns, and how they came about: the one formula behind award, preview, explanation and return. */
import type { EarningRules } from '#program/rules.ts';

export interface PointsForPurchase {
  /** Points of the money alone. */
  readonly base: number;
  /** Whether a double-points window was open. */
  readonly double: boolean;
  /** `base`, twice where the window was open. */
  readonly doubled: number;
  readonly multiplierThousandths: number;
  /** What the member gets. */
  readonly points: number;
}

/**
 * Points for `amount` whole currency units spent `at` that instant by a member whose tier before the purchase
 * multiplies by `multiplierThousandths`. Null where the result is beyond a safe integer: the purchase cannot be made.
 */
export function pointsForPurchase(
  purchase: { readonly amount: number; readonly at: Date; readonly multiplierThousandths: number },
  earning: EarningRules,
): PointsForPurchase | null {
  const { amount, at, multiplierThousandths } = purchase;
  const { moneyPerPointThousandths } = earning;
  const double = earning.doublePoints.some((window) => window.from <= at && at < window.to);
  return pointsByRule(amount, { moneyPerPointThousandths, double, multiplierThousandths });
}

/** What a movement stores of its rule; a return applies this, never today's, to the amount that is kept. */
export interface PurchaseRule {
  readonly moneyPerPointThousandths: number;
  readonly double: boolean;
  readonly multiplierThousandths: number;
}

/** The formula by a rule already settled: floored after the money, floored again after the multiplier. */
export function pointsByRule(amount: number, rule: PurchaseRule): PointsForPurchase | null {
  const { moneyPerPointThousandths, double, multiplierThousandths } = rule;
  // BigInt: the largest amount in thousandths is beyond a safe integer, and a product of numbers would round up.
  const base = (BigInt(amount) * 1000n) / BigInt(moneyPerPointThousandths);
  const doubled = double ? base * 2n : base;
  const points = (doubled * BigInt(multiplierThousandths)) / 1000n;
  if (doubled > largest || points > largest) return null;
  return {
    base: Number(base),
    double,
    doubled: Number(doubled),
    multiplierThousandths,
    points: Number(points),
  };
}

const largest = BigInt(Number.MAX_SAFE_INTEGER);
