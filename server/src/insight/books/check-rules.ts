/**
 * Checks the rules of a purchase a second time: which of the program's rules apply to which of its lines. Written from the documents of the
 * program, without the code of the rule. Of lines that were deleted it knows the amounts alone.
 */
import type { Line } from '#points/line.ts';
import type { Program } from '#program/program.ts';
import type { FollowedRemainder } from './check-remainder.ts';
import type { PastPurchases } from './past-purchases.ts';

type ProgramRule = Program['earning']['rules'][number];

/** What decides about the rules of a purchase. */
export interface RuledPurchase {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly arrived: number | null;
  readonly amount: number;
  readonly branchId: number | null;
  readonly registerId: number | null;
  readonly channel: string | null;
  /** Null if the shop said none, or if they were deleted. */
  readonly lines: readonly Line[] | null;
  /** How many lines the shop said; null for none. */
  readonly count: number | null;
  /** The tier before it; the tier may have expired. */
  readonly level: string | null;
  /** Purchases that counted before it. */
  readonly purchases: number;
  /** Null if nobody knows: not joined yet, or erased. */
  readonly joinedAt: number | null;
  /** What the member's earlier purchases left for it; null for nothing. */
  readonly remainder: FollowedRemainder | null;
  readonly past: PastPurchases;
}

/** A rule as it must be kept: `must` be there, `may` be, or `not`. */
interface Expected {
  readonly id: string;
  /** What the snapshot keeps of it, without the lines. */
  readonly kept: readonly unknown[];
  readonly multiplies: boolean;
  readonly verdict: 'must' | 'may' | 'not';
  /** The places of its lines; null if nobody knows any more. */
  readonly lines: readonly number[] | null;
}

export interface ExpectedRules {
  readonly rules: readonly Expected[];
  /** The places of the lines that earn nothing; null if nobody knows any more. */
  readonly excluded: readonly number[] | null;
  readonly count: number;
}

/** Returns true if purchases can depend on their lines or their buyer. */
export function hasRules({ earning: { rules, exclude, lines } }: Program): boolean {
  return (
    rules.length > 0 ||
    lines === 'required' ||
    exclude.discounted ||
    exclude.products.length + exclude.categories.length > 0
  );
}

/** Returns what the snapshot of a purchase must say of the program's rules. */
export function expectedRules(program: Program, purchase: RuledPurchase): ExpectedRules {
  const { exclude, lines: needed, rules } = program.earning;
  const { count, lines } = purchase;
  const isGone = count !== null && lines === null;
  const sold: readonly Partial<Line>[] = lines ?? [{}];
  const isOut = (line: Partial<Line>) =>
    (exclude.discounted && line.discounted === true) || isAmong(line, exclude.products, exclude.categories);
  let excluded: readonly number[] | null = placesOf(sold, isOut);
  if (count === null) excluded = needed === 'required' ? [0] : [];
  else if (isGone) {
    const excludesAny = exclude.discounted || exclude.products.length + exclude.categories.length > 0;
    excluded = excludesAny ? null : [];
  }
  const expected = rules.flatMap((rule): Expected[] => {
    if (rule.paused) return [];
    const { products, categories } = rule.when;
    const isOfLines = products.length > 0 || categories.length > 0;
    const all = Array.from({ length: count ?? 1 }, (_, place) => place);
    const matching = isOfLines
      ? placesOf(
          sold,
          (line) =>
            (products.length === 0 || isAmong(line, products, [])) &&
            (categories.length === 0 || isAmong(line, [], categories)),
        )
      : all;
    const places =
      excluded === null || (isGone && isOfLines)
        ? null
        : matching.filter((place) => !excluded.includes(place));
    const holds = holdsFor(rule, purchase, program.time_zone);
    const verdict =
      holds === 'no' || places?.length === 0 ? 'not' : holds === 'yes' && places !== null ? 'must' : 'may';
    const { multiply, points, per } = rule.give;
    const least = rule.when.min_amount ?? 0;
    const kept =
      multiply === null
        ? [rule.id, rule.title, points, per ?? 'purchase', least]
        : [rule.id, rule.title, Math.round(multiply * 1000), least];
    return [{ id: rule.id, kept, multiplies: multiply !== null, verdict, lines: places }];
  });
  return { rules: expected, excluded, count: count ?? 1 };
}

function placesOf(lines: readonly Partial<Line>[], is: (line: Partial<Line>) => boolean): number[] {
  return lines.flatMap((line, place) => (is(line) ? [place] : []));
}

function isAmong(
  { product, categories }: Partial<Line>,
  products: readonly string[],
  ofCategories: readonly string[],
): boolean {
  if (typeof product === 'string' && products.includes(product)) return true;
  return (categories ?? []).some((category) => ofCategories.includes(category));
}

/** Returns true if what the snapshot keeps of the rules of one form is what they must be. */
export function keepsExpected(
  said: readonly (readonly unknown[])[],
  { rules, excluded, count }: ExpectedRules,
  multiplies: boolean,
  out: readonly unknown[] = [],
): boolean {
  if (excluded !== null && JSON.stringify(out) !== JSON.stringify(excluded)) return false;
  if (!arePlaces(out, count)) return false;
  let next = 0;
  for (const { kept, multiplies: does, verdict, lines } of rules) {
    if (does !== multiplies) continue;
    const entry = said[next];
    const isIt = entry !== undefined && entry[0] === kept[0];
    if (!isIt && verdict === 'must') return false;
    if (!isIt) continue;
    next += 1;
    const places = entry.at(-1);
    const fits = lines === null ? arePlaces(places, count) : JSON.stringify(places) === JSON.stringify(lines);
    if (verdict === 'not' || !fits || JSON.stringify(entry.slice(0, -1)) !== JSON.stringify(kept))
      return false;
    if (lines === null && (places as number[]).some((place) => out.includes(place))) return false;
  }
  return next === said.length;
}

/** True for rising places of lines. */
function arePlaces(value: unknown, count: number): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.every(
      (place, i) =>
        Number.isInteger(place) && place < count && place > (i === 0 ? -1 : (value as number[])[i - 1]!),
    )
  );
}

/**
 * Returns the rules with a limit that gave something, as the snapshot must name them.
 * @param isPaid false for the place of a line of 0
 */
export function usedBy(
  program: Program,
  multiplied: readonly (readonly unknown[])[],
  added: readonly (readonly unknown[])[],
  isPaid: (place: number) => boolean,
): string[] {
  const limited = new Set(program.earning.rules.filter(({ limit }) => limit !== null).map(({ id }) => id));
  const best = new Map<number, readonly unknown[]>();
  for (const rule of multiplied)
    for (const place of (rule[4] as number[]).filter(isPaid)) {
      const other = best.get(place);
      if (other === undefined || (rule[2] as number) > (other[2] as number)) best.set(place, rule);
    }
  const gave = new Set([...best.values(), ...added].map(([id]) => String(id)));
  return [...gave].filter((id) => limited.has(id)).toSorted();
}

type Holds = 'yes' | 'no' | 'unknown';

function holdsFor(rule: ProgramRule, purchase: RuledPurchase, zone: string): Holds {
  const { when, from, to, limit } = rule;
  const { at, amount } = purchase;
  const among = <T>(wanted: readonly T[], value: T | null) =>
    wanted.length === 0 || (value !== null && wanted.includes(value));
  const isOff =
    (from !== null && at < Date.parse(from)) ||
    (to !== null && at >= Date.parse(to)) ||
    !among(when.channels, purchase.channel) ||
    !among(when.branches, purchase.branchId) ||
    !among(when.registers, purchase.registerId) ||
    !among(when.levels, purchase.level) ||
    (when.first_purchase && purchase.purchases !== 0) ||
    amount < (when.min_amount ?? 0) ||
    !isOpen(when, at, zone) ||
    (limit !== null &&
      [at, purchase.arrived ?? at].some(
        (instant) => purchase.past.usesIn(rule.id, { at: instant, per: limit.per, zone }) >= limit.times,
      ));
  if (isOff) return 'no';
  // The multiplier and the rules of a tier that has expired do not count, and the snapshot names the tier all the same.
  const mayHaveExpired = when.levels.length > 0;
  if (when.joined_days === null) return mayHaveExpired ? 'unknown' : 'yes';
  if (purchase.joinedAt === null) return 'unknown';
  const days = dateAt(purchase.joinedAt, zone).until(dateAt(at, zone), { largestUnit: 'days' }).days;
  if (purchase.joinedAt > at || days >= when.joined_days) return 'no';
  return mayHaveExpired ? 'unknown' : 'yes';
}

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** A night of hours that pass midnight is of the day on which it begins. */
function isOpen({ hours, weekdays }: ProgramRule['when'], at: number, zone: string): boolean {
  const date = dateAt(at, zone);
  const isOn = (day: Temporal.PlainDate) =>
    weekdays.length === 0 || (weekdays as readonly string[]).includes(DAYS[day.dayOfWeek - 1]!);
  if (hours === null) return isOn(date);
  const clock = Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(zone)
    .toPlainTime()
    .toString()
    .slice(0, 5);
  const { from, to } = hours;
  if (from < to) return from <= clock && clock < to && isOn(date);
  return (clock >= from && isOn(date)) || (clock < to && isOn(date.subtract({ days: 1 })));
}

function dateAt(at: number, zone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate();
}

/** A part of a purchase, by the places of its lines. */
export interface CheckedPart {
  readonly amount: bigint;
  readonly lines: readonly (readonly [amount: bigint, units: bigint])[];
}

/** Returns the points for the money of lines that do not all count alike, or that something is carried to. */
export function figureOfLines(part: CheckedPart, said: readonly unknown[]): bigint {
  const [used] = (said[3] ?? [0]) as [number];
  const sum = countedOfLines(part, said) + BigInt(used);
  return sum > 0n ? sum / BigInt(said[0] as number) : 0n;
}

/** Returns what counts of the money, in thousandths of the currency unit. */
export function countedOfLines({ amount, lines }: CheckedPart, said: readonly unknown[]): bigint {
  const [, multiplied, excluded] = said as [number, (readonly unknown[])[], number[]];
  let counted = 0n;
  for (const [place, [ofLine]] of lines.entries()) {
    if (excluded.includes(place)) continue;
    const those = multiplied
      .filter((rule) => (rule[4] as number[]).includes(place))
      .filter((rule) => (rule[2] as number) < 1000 || amount >= BigInt(rule[3] as number))
      .map((rule) => BigInt(rule[2] as number));
    counted += ofLine * (those.length === 0 ? 1000n : those.reduce((most, one) => (one > most ? one : most)));
  }
  return counted;
}

/**
 * Returns what a purchase takes over from those before it: what it uses, which is less than the price of a point, what it drops, and since
 * when. Null if the program carries nothing.
 */
export function carriedBy(
  { earning }: Program,
  since: number | null,
  { remainder }: RuledPurchase,
): readonly [used: number, dropped: number, since: number] | null {
  if (since === null) return null;
  const waits = remainder?.since === since ? Number(remainder.waits) : 0;
  const most = Math.round(earning.money_per_point * 1000) - 1;
  return waits > most ? [most, waits - most, since] : [waits, 0, since];
}

/** Returns the points that rules add to a part of a purchase. */
export function addedTo({ amount, lines }: CheckedPart, [added]: readonly unknown[]): bigint {
  let sum = 0n;
  for (const [, , points, per, least, places] of added as (readonly unknown[])[]) {
    if (amount === 0n || amount < BigInt(least as number)) continue;
    const its = (places as number[])
      .map((place) => lines[place]!)
      .filter(([paid, units]) => paid > 0n || units > 0n);
    if (its.length === 0) continue;
    const times = per === 'unit' ? its.reduce((all, [, units]) => all + units, 0n) : 1n;
    sum += BigInt(points as number) * times;
  }
  return sum;
}

/** Returns the room that a cap leaves for a purchase, with the cap as it is kept; '' for a program without one. */
export function roomFor(
  { earning: { cap }, time_zone: zone }: Program,
  { at, arrived, past }: RuledPurchase,
): string {
  if (cap === null) return '';
  const rooms = [at, arrived ?? at].map((instant) =>
    Math.max(0, cap.points - past.earnedIn({ at: instant, per: cap.per, zone })),
  );
  return JSON.stringify([Math.min(...rooms), cap.points, cap.per]);
}

/** Returns lines after `amount` came back of them in proportion, by largest remainder. `whole` is what was sold. */
export function withoutPart(
  left: CheckedPart['lines'],
  whole: CheckedPart['lines'],
  amount: bigint,
): (readonly [bigint, bigint])[] {
  const total = left.reduce((sum, [kept]) => sum + kept, 0n);
  const parts = left.map(([kept], place) => ({
    place,
    share: total === 0n ? 0n : (amount * kept) / total,
    rest: total === 0n ? 0n : (amount * kept) % total,
  }));
  const missing = Number(amount - parts.reduce((sum, { share }) => sum + share, 0n));
  const first = parts
    .toSorted((one, other) =>
      other.rest > one.rest ? 1 : other.rest < one.rest ? -1 : one.place - other.place,
    )
    .slice(0, missing)
    .map(({ place }) => place);
  const isAll = amount === total;
  return parts.map(({ place, share }) => {
    const [kept, units] = left[place]!;
    const now = kept - share - (first.includes(place) ? 1n : 0n);
    if (isAll) return [now, 0n] as const;
    const [sold, all] = whole[place]!;
    const fitting = sold === 0n || now >= sold ? all : (all * now + sold - 1n) / sold;
    return [now, fitting < units ? fitting : units] as const;
  });
}
