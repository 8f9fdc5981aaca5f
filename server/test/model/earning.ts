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
  /** Whether the money that makes no point waits for the next purchase. */
  readonly carries: boolean;
}

/** The parts that a change of the program may change. */
export const changingEarning = {
  moneyPerPoint: fc.constantFrom(1_000, 3_000, 700, 2_500),
  carries: fc.boolean(),
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

export function earningFields({ moneyPerPoint, double, carries, ...lines }: EarningRules): EarningFields {
  const window = double && { from: new Date(double[0]).toISOString(), to: new Date(double[1]).toISOString() };
  return {
    money_per_point: moneyPerPoint / 1000,
    double_points: window === null ? [] : [window],
    carry_remainder: carries,
    ...lineFields(lines),
  };
}

/** The rule by which a purchase is computed, for good. */
export interface EarningRule {
  readonly moneyPerPoint: number;
  readonly double: boolean;
  readonly multiplier: number;
  readonly ruled: RuledPurchase;
  /** What it took over from earlier purchases; null if its program carries nothing. */
  readonly carried: Carried | null;
}

interface Carried {
  readonly used: number;
  /** What was more than the price of a point. */
  readonly dropped: number;
  /** Counts how often the program has stopped carrying. */
  readonly run: number;
}

export function earningRule(
  rules: EarningRules,
  what: Reported & { readonly now: number },
  multiplier: number,
  buyer: Buyer & { readonly remainder: number; readonly run: number },
): EarningRule {
  const { moneyPerPoint, double, carries } = rules;
  const used = Math.min(buyer.remainder, moneyPerPoint - 1);
  const { now } = what;
  return {
    moneyPerPoint,
    double: double !== null && double[0] <= now && now < double[1],
    multiplier,
    ruled: ruledPurchase(rules, what, buyer),
    carried: carries ? { used, dropped: buyer.remainder - used, run: buyer.run } : null,
  };
}

function baseOf(rests: readonly Rest[], { moneyPerPoint, ruled, carried }: EarningRule): number {
  return Math.max(0, Math.floor((countedOf(ruled, rests) + (carried?.used ?? 0)) / moneyPerPoint));
}

/** Returns the money that waits because of a purchase of which this is left, or that others left and it used up. In thousandths. */
export function remainderOf(rests: readonly Rest[], rule: EarningRule): number {
  const { moneyPerPoint, ruled, carried } = rule;
  if (carried === null || rests.every(({ amount }) => amount === 0)) return 0;
  return countedOf(ruled, rests) - baseOf(rests, rule) * moneyPerPoint - carried.dropped;
}

export function pointsOf(rests: readonly Rest[], rule: EarningRule): number {
  const { double, multiplier, ruled } = rule;
  const base = baseOf(rests, rule);
  const byTier = Math.floor((base * (double ? 2 : 1) * multiplier) / 1000);
  return Math.min(byTier + addedOf(ruled, rests), ruled.room);
}
