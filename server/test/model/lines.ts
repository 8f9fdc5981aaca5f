/** The rules by line of the model: random rules, their lines of a program file, and their arithmetic, without the service's code. */
import type { Program } from '#program/program.ts';
import * as fc from '#test/random.ts';
import type { Reported } from '#test/random-purchases.ts';
import { dayAt, plusDays } from './days.ts';

/** A rule of the model. Null is no condition; multipliers are in thousandths. */
export interface LineRule {
  readonly category: string | null;
  readonly product: string | null;
  readonly channel: string | null;
  readonly branch: number | null;
  /** Monday is 1. */
  readonly weekday: number | null;
  /** Whole hours; they may pass midnight. */
  readonly hours: readonly [from: number, to: number] | null;
  readonly least: number | null;
  readonly first: boolean;
  readonly joinedDays: number | null;
  readonly gives: readonly ['times' | 'points' | 'unit', number];
  readonly limit: readonly [times: number, per: 'day' | 'week' | 'month' | 'ever'] | null;
}

export interface LineRules {
  readonly rules: readonly LineRule[];
  readonly excluded: { readonly category: string | null; readonly discounted: boolean };
  readonly needsLines: boolean;
  readonly cap: readonly [points: number, per: 'day' | 'week' | 'month'] | null;
}

const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
const category = fc.constantFrom('a', 'b', 'c');

const rule: fc.Arbitrary<LineRule> = fc.record({
  category: fc.option(category),
  product: rarely(fc.constantFrom('p', 'q')),
  channel: rarely(fc.constantFrom('web', 'app')),
  branch: rarely(fc.constantFrom(1, 2)),
  weekday: rarely(fc.integer({ min: 1, max: 7 })),
  hours: rarely(
    fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 1, max: 24 }))
      .filter(([from, to]) => from !== to),
  ),
  least: rarely(fc.constantFrom(10, 40)),
  first: fc.nat(5).map((n) => n === 0),
  joinedDays: rarely(fc.constantFrom(1, 20)),
  gives: fc.oneof(
    fc.tuple(fc.constant('times' as const), fc.constantFrom(0, 500, 1_000, 1_500, 2_000, 2_345)),
    fc.tuple(fc.constantFrom('points' as const, 'unit' as const), fc.constantFrom(1, 7)),
  ),
  limit: rarely(
    fc.tuple(
      fc.constantFrom(1, 2),
      fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'ever' as const),
    ),
  ),
});

/** The parts that a change of the program may change. */
export const changingLines = {
  rules: fc.array(rule, { maxLength: 4 }),
  excluded: fc.record({ category: rarely(category), discounted: fc.nat(4).map((n) => n === 0) }),
  needsLines: fc.nat(9).map((n) => n === 0),
  cap: rarely(
    fc.tuple(fc.constantFrom(30, 100), fc.constantFrom('day' as const, 'week' as const, 'month' as const)),
  ),
};

/** Rules that ask nothing about the buyer. */
export const rulesForAnybody = changingLines.rules.map((rules) =>
  rules.map((one) => ({ ...one, first: false, joinedDays: null, limit: null })),
);

type EarningFields = Program['earning'];

export function lineFields({
  rules,
  excluded,
  needsLines,
  cap,
}: LineRules): Pick<EarningFields, 'rules' | 'exclude' | 'lines' | 'cap'> {
  return {
    lines: needsLines ? 'required' : 'optional',
    cap: cap && { points: cap[0], per: cap[1] },
    exclude: { products: [], categories: listOf(excluded.category), discounted: excluded.discounted },
    rules: rules.map((one, i) => ({
      id: `rule-${i}`,
      title: `Rule ${i}`,
      public: true,
      from: null,
      to: null,
      paused: false,
      when: {
        products: listOf(one.product),
        categories: listOf(one.category),
        channels: listOf(one.channel),
        branches: listOf(one.branch),
        registers: [],
        weekdays: listOf(one.weekday).map((day) => WEEKDAYS[day - 1]!),
        hours: one.hours && { from: clock(one.hours[0]), to: clock(one.hours[1]) },
        levels: [],
        first_purchase: one.first,
        min_amount: one.least,
        joined_days: one.joinedDays,
      },
      give: {
        multiply: one.gives[0] === 'times' ? one.gives[1] / 1000 : null,
        points: one.gives[0] === 'times' ? null : one.gives[1],
        per: one.gives[0] === 'unit' ? ('unit' as const) : null,
      },
      limit: one.limit && { times: one.limit[0], per: one.limit[1] },
    })),
  };
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const listOf = <T>(value: T | null): T[] => (value === null ? [] : [value]);
const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

/** What is left of a line. */
export interface Rest {
  readonly amount: number;
  readonly units: number;
}

/** A line with what the rules of its day give for it. */
export interface RuledLine extends Rest {
  /** True if it earns nothing. */
  readonly out: boolean;
  /** The multipliers that apply to it. */
  readonly times: readonly { readonly rule: number; readonly by: number; readonly least: number }[];
}

/** What the rules of a purchase's day give for it, for good. */
export interface RuledPurchase {
  readonly lines: readonly RuledLine[];
  readonly added: readonly {
    readonly points: number;
    readonly perUnit: boolean;
    readonly least: number;
    readonly of: readonly number[];
  }[];
  /** What the cap leaves for it. */
  readonly room: number;
  /** The rules with a limit that gave something. */
  readonly used: readonly number[];
}

/** What the model knows of the buyer. */
export interface Buyer {
  readonly purchases: number;
  readonly joinedAt: number | null;
  readonly uses: readonly { readonly rule: number; readonly day: string }[];
  /** The points of earlier purchases, by the day of the purchase. */
  readonly earned: readonly { readonly day: string; readonly points: number }[];
}

export function ruledPurchase(
  { rules, excluded, needsLines, cap, zone }: LineRules & { readonly zone: string },
  { amount, lines, channel, branchId, now }: Reported & { readonly now: number },
  buyer: Buyer,
): RuledPurchase {
  const sold = lines ?? [
    { id: '', amount, units: 1, categories: [] as string[], product: null, discounted: false },
  ];
  const today = dayAt(now, zone);
  const applying = rules.flatMap((one, i) => {
    const counted = buyer.uses.filter(
      (use) => use.rule === i && periodName(use.day, one.limit?.[1]) === periodName(today, one.limit?.[1]),
    ).length;
    const applies =
      (one.channel === null || one.channel === channel) &&
      (one.branch === null || one.branch === branchId) &&
      amount >= (one.least ?? 0) &&
      (!one.first || buyer.purchases === 0) &&
      isAt(one, now, zone) &&
      (one.joinedDays === null ||
        (buyer.joinedAt !== null && today < plusDays(dayAt(buyer.joinedAt, zone), one.joinedDays))) &&
      (one.limit === null || counted < one.limit[0]);
    return applies ? [{ ...one, i }] : [];
  });
  const ofLine = (line: (typeof sold)[number], one: LineRule) =>
    (one.category === null || (line.categories ?? []).includes(one.category)) &&
    (one.product === null || line.product === one.product);
  const isOut = (line: (typeof sold)[number]) =>
    (lines === null && needsLines) ||
    (excluded.category !== null && (line.categories ?? []).includes(excluded.category)) ||
    (excluded.discounted && line.discounted === true);
  const ruled = sold.map((line): RuledLine => ({
    amount: line.amount,
    units: line.units ?? 1,
    out: isOut(line),
    times: isOut(line)
      ? []
      : applying
          .filter((one) => one.gives[0] === 'times' && ofLine(line, one))
          .map(({ i, gives, least }) => ({ rule: i, by: gives[1], least: least ?? 0 })),
  }));
  const added = applying.flatMap((one) => {
    const of = sold.flatMap((line, at) => (!isOut(line) && ofLine(line, one) ? [at] : []));
    const [what, points] = one.gives;
    return what === 'times' || of.length === 0
      ? []
      : [{ rule: one.i, points, perUnit: what === 'unit', least: one.least ?? 0, of }];
  });
  const best = ruled.flatMap(({ amount: paid, times }) => {
    if (paid === 0) return [];
    const most = Math.max(...times.map(({ by }) => by));
    return times.find(({ by }) => by === most)?.rule ?? [];
  });
  const earned = buyer.earned
    .filter(({ day }) => periodName(day, cap?.[1]) === periodName(today, cap?.[1]))
    .reduce((sum, { points }) => sum + points, 0);
  const room = cap === null ? Infinity : Math.max(0, cap[0] - earned);
  const used = [...new Set([...best, ...added.map(({ rule }) => rule)])].filter(
    (i) => rules[i]!.limit !== null && room > 0,
  );
  return { lines: ruled, added, room, used };
}

function periodName(day: string, per: 'day' | 'week' | 'month' | 'ever' | undefined): string {
  if (per === 'month') return day.slice(0, 7);
  if (per === 'ever') return '';
  if (per !== 'week') return day;
  let monday = day;
  while (new Date(`${monday}T00:00:00Z`).getUTCDay() !== 1) monday = plusDays(monday, -1);
  return monday;
}

function isAt({ weekday, hours }: LineRule, now: number, zone: string): boolean {
  const hour = Number(
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', hourCycle: 'h23' }).format(now),
  );
  let day = dayAt(now, zone);
  if (hours !== null) {
    const [from, to] = hours;
    const isOpen = from < to ? from <= hour && hour < to : hour >= from || hour < to;
    if (!isOpen) return false;
    if (from > to && hour < to) day = plusDays(day, -1);
  }
  return weekday === null || (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7 === weekday - 1;
}

/** Returns what counts of the money, in thousandths. */
export function countedOf({ lines }: RuledPurchase, rests: readonly Rest[]): number {
  const amount = rests.reduce((sum, rest) => sum + rest.amount, 0);
  return lines.reduce((sum, { out, times }, at) => {
    const those = times.filter(({ by, least }) => by < 1000 || amount >= least).map(({ by }) => by);
    const by = out ? 0 : those.length === 0 ? 1000 : Math.max(...those);
    return sum + rests[at]!.amount * by;
  }, 0);
}

/** Returns the points that rules add. */
export function addedOf({ added }: RuledPurchase, rests: readonly Rest[]): number {
  const amount = rests.reduce((sum, rest) => sum + rest.amount, 0);
  if (amount === 0) return 0;
  return added
    .filter(({ least }) => amount >= least)
    .reduce((sum, { points, perUnit, of }) => {
      const there = of.map((at) => rests[at]!).filter((rest) => rest.amount > 0 || rest.units > 0);
      if (there.length === 0) return sum;
      return sum + points * (perUnit ? there.reduce((units, rest) => units + rest.units, 0) : 1);
    }, 0);
}

/** Returns what is left of the lines after an amount came back in proportion: whole units by the largest remainder, the first of equal ones. */
export function giveBack({ lines }: RuledPurchase, rests: readonly Rest[], amount: number): Rest[] {
  const total = rests.reduce((sum, rest) => sum + rest.amount, 0);
  const parts = rests.map((rest) => Math.floor((amount * rest.amount) / total));
  const order = rests
    .map((rest, at) => ({ at, remainder: (amount * rest.amount) % total }))
    .sort((one, other) => other.remainder - one.remainder || one.at - other.at);
  for (let i = 0; parts.reduce((sum, part) => sum + part, 0) < amount; i++) parts[order[i]!.at]! += 1;
  return rests.map((rest, at) => {
    const left = rest.amount - parts[at]!;
    const { amount: paid, units } = lines[at]!;
    if (amount === total) return { amount: 0, units: 0 };
    return {
      amount: left,
      units: paid === 0 ? rest.units : Math.min(rest.units, Math.ceil((units * left) / paid)),
    };
  });
}
