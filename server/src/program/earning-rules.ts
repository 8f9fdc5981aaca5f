/** The `earning` section of a program as the factors of a purchase read it: decimals in thousandths, instants as Dates. */
import { createPeriodReader, type PeriodReader } from './counted-period.ts';
import { WEEKDAYS, type Program } from './program.ts';
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
  /** True if a purchase without lines earns nothing. */
  readonly needsLines: boolean;
  /** The lines that earn nothing; null if all do. */
  readonly excluded: ExcludedLines | null;
  /** Those that are not paused, in the order of the program. */
  readonly rules: readonly EarningRule[];
  /** The most points of purchases in a period; null for no limit. */
  readonly cap: { readonly points: number; readonly per: CountedPeriod } | null;
  /**
   * The first version of the program, up to this one, since which the money that is not enough for a point waits for the next purchase;
   * null if it does not.
   */
  readonly carriesSince: number | null;
  /** What the cap and the limits need of earlier purchases; null if no purchase depends on any. */
  readonly counted: CountedPast | null;
  readonly periodOf: PeriodReader;
}

export interface CountedPast {
  /** The longest local period of which all purchases are needed; null if of none. */
  readonly per: CountedPeriod | null;
  /** The ids of rules whose uses are counted for ever. */
  readonly ever: readonly string[];
}

/** For how many days the points of a purchase wait, and what happens then if nobody has confirmed it before. */
export interface PendingRule {
  readonly days: number;
  readonly becomes: 'available' | 'cancelled';
}

export interface ExcludedLines {
  readonly products: ReadonlySet<string>;
  readonly categories: ReadonlySet<string>;
  readonly discounted: boolean;
}

/** What some purchases earn more, or less. */
export interface EarningRule {
  readonly id: string;
  readonly title: string;
  readonly isPublic: boolean;
  /** `from` is included, `to` is not; null for no such end. */
  readonly from: Date | null;
  readonly to: Date | null;
  readonly when: EarningConditions;
  readonly gives: GivenByRule;
  readonly limit: { readonly times: number; readonly per: CountedPeriod } | null;
}

/** Conditions of a rule. All must hold; null is no condition. */
export interface EarningConditions {
  readonly products: ReadonlySet<string> | null;
  readonly categories: ReadonlySet<string> | null;
  readonly channels: ReadonlySet<string> | null;
  readonly branches: ReadonlySet<number> | null;
  readonly registers: ReadonlySet<number> | null;
  /** Days of the week, Monday is 1. */
  readonly weekdays: ReadonlySet<number> | null;
  /** Minutes of the day; `from` is above `to` if they pass midnight. */
  readonly hours: { readonly from: number; readonly to: number } | null;
  readonly levels: ReadonlySet<string> | null;
  readonly firstPurchase: boolean;
  /** Whole currency units; 0 is no condition. */
  readonly minAmount: number;
  readonly joinedDays: number | null;
}

export type GivenByRule =
  | { readonly kind: 'multiply'; readonly thousandths: number }
  | { readonly kind: 'points'; readonly points: number; readonly per: 'purchase' | 'unit' };

/** A local period in which something is counted, shortest first. */
export const COUNTED_PERIODS = ['day', 'week', 'month', 'ever'] as const;
export type CountedPeriod = (typeof COUNTED_PERIODS)[number];

/** Reads every field by name, because the database returns the keys of an object in an order of its own. */
export function earningRulesOf(
  earning: Program['earning'],
  carriesSince: number,
  timeZone: string,
): EarningRules {
  const rules = earning.rules.filter(({ paused }) => !paused).map(ruleOf);
  return {
    moneyPerPointThousandths: thousandths(earning.money_per_point),
    maxAmount: earning.max_amount,
    returns: earning.returns,
    doublePoints: earning.double_points.map(({ from, to }) => ({ from: new Date(from), to: new Date(to) })),
    pending: pendingRuleOf(earning.pending),
    needsLines: earning.lines === 'required',
    excluded: excludedOf(earning.exclude),
    rules,
    cap: earning.cap && { points: earning.cap.points, per: earning.cap.per },
    carriesSince: earning.carry_remainder ? carriesSince : null,
    counted: countedPast(rules, earning.cap?.per ?? null),
    periodOf: createPeriodReader(timeZone),
  };
}

function excludedOf({
  products,
  categories,
  discounted,
}: Program['earning']['exclude']): ExcludedLines | null {
  if (products.length === 0 && categories.length === 0 && !discounted) return null;
  return { products: new Set(products), categories: new Set(categories), discounted };
}

type ProgramRule = Program['earning']['rules'][number];

function ruleOf({ id, title, public: isPublic, from, to, when, give, limit }: ProgramRule): EarningRule {
  return {
    id,
    title,
    isPublic,
    from: from === null ? null : new Date(from),
    to: to === null ? null : new Date(to),
    when: conditionsOf(when),
    gives:
      give.multiply === null
        ? { kind: 'points', points: give.points ?? 0, per: give.per ?? 'purchase' }
        : { kind: 'multiply', thousandths: thousandths(give.multiply) },
    limit: limit && { times: limit.times, per: limit.per },
  };
}

export function conditionsOf(when: ProgramRule['when']): EarningConditions {
  return {
    products: setOf(when.products),
    categories: setOf(when.categories),
    channels: setOf(when.channels),
    branches: setOf(when.branches),
    registers: setOf(when.registers),
    weekdays: setOf(when.weekdays.map((day) => WEEKDAYS.indexOf(day) + 1)),
    hours: when.hours && { from: minutesOf(when.hours.from), to: minutesOf(when.hours.to) },
    levels: setOf(when.levels),
    firstPurchase: when.first_purchase,
    minAmount: when.min_amount ?? 0,
    joinedDays: when.joined_days,
  };
}

function setOf<T>(values: readonly T[]): ReadonlySet<T> | null {
  return values.length === 0 ? null : new Set(values);
}

/** Returns the minutes from midnight to a time of the day. */
function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':');
  return 60 * Number(hours) + Number(minutes);
}

/** A cap is never for ever, so purchases of long ago are needed only if they used a rule that is limited for ever. */
function countedPast(rules: readonly EarningRule[], cap: CountedPeriod | null): CountedPast | null {
  const limited = rules.flatMap(({ id, limit }) => (limit === null ? [] : [{ id, per: limit.per }]));
  const periods = [cap, ...limited.map(({ per }) => per)].filter((per) => per !== 'ever');
  const per = COUNTED_PERIODS.findLast((period) => periods.some((one) => one === period)) ?? null;
  const ever = limited.flatMap((one) => (one.per === 'ever' ? [one.id] : []));
  return per === null && ever.length === 0 ? null : { per, ever };
}

function pendingRuleOf(pending: Program['earning']['pending']): PendingRule | null {
  if (pending === null) return null;
  const { days, cancel_after_days: cancelled } = pending;
  return days === null ? { days: cancelled!, becomes: 'cancelled' } : { days, becomes: 'available' };
}
