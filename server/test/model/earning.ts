/** The points of a purchase, for the model: each factor with its random rules, its lines of a program file, its arithmetic. */
import type { Program } from '#program/program.ts';
import * as fc from '#test/random.ts';
import type { Reported } from '#test/random-purchases.ts';
import {
  addedOf,
  changingLines,
  countedOf,
  lineFields,
  ruledPurchase,
  rulesForAnybody,
  type Buyer,
  type LineRules,
  type Rest,
  type RuledPurchase,
} from './lines.ts';

export interface EarningRules extends LineRules {
  readonly zone: string;
  /** In thousandths, as the multipliers. */
  readonly moneyPerPoint: number;
  readonly double: readonly [from: number, to: number] | null;
}

/** The parts that a change of the program may change. */
export const changingEarning = {
  moneyPerPoint: fc.constantFrom(1_000, 3_000, 700, 2_500),
  ...changingLines,
};

/** Random rules, with a window of double points after `from` in most. All tests that make random programs use them. */
export function anyEarning(from: number): fc.Arbitrary<EarningFields> {
  const window = fc
    .tuple(fc.nat(40), fc.integer({ min: 1, max: 40 }))
    .map(([start, length]) => [from + start * HOUR, from + (start + length) * HOUR] as const);
  return fc
    .record({
      ...changingEarning,
      rules: rulesForAnybody,
      double: fc.option(window),
      zone: fc.constant('UTC'),
    })
    .map(earningFields);
}

const HOUR = 3_600_000;

/** Every field of `earning` but those that do not change what a purchase earns. */
export type EarningFields = Omit<Program['earning'], 'max_amount' | 'returns' | 'pending'>;

export function earningFields({ moneyPerPoint, double, ...lines }: EarningRules): EarningFields {
  const window = double && { from: new Date(double[0]).toISOString(), to: new Date(double[1]).toISOString() };
  return {
    money_per_point: moneyPerPoint / 1000,
    double_points: window === null ? [] : [window],
    ...lineFields(lines),
  };
}

/** The rule by which a purchase is computed, for good. */
export interface EarningRule {
  readonly moneyPerPoint: number;
  readonly double: boolean;
  readonly multiplier: number;
  readonly ruled: RuledPurchase;
}

export function earningRule(
  rules: EarningRules,
  what: Reported & { readonly now: number },
  multiplier: number,
  buyer: Buyer,
): EarningRule {
  const { moneyPerPoint, double } = rules;
  const { now } = what;
  return {
    moneyPerPoint,
    double: double !== null && double[0] <= now && now < double[1],
    multiplier,
    ruled: ruledPurchase(rules, what, buyer),
  };
}

export function pointsOf(
  rests: readonly Rest[],
  { moneyPerPoint, double, multiplier, ruled }: EarningRule,
): number {
  const base = Math.floor(countedOf(ruled, rests) / moneyPerPoint);
  const byTier = Math.floor((base * (double ? 2 : 1) * multiplier) / 1000);
  return Math.min(byTier + addedOf(ruled, rests), ruled.room);
}
