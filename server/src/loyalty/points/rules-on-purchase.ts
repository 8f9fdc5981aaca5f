/** Which rules of the program apply to which lines of a purchase, and which lines earn nothing. */
import type { EarningConditions, EarningRule, EarningRules, ExcludedLines } from '#program/earning-rules.ts';
import { localDay, daysBetween } from '#calendar/calendar.ts';
import type { Earning } from './factors/factor.ts';
import { linesOf, wholeOf, type Kept, type Line } from './line.ts';

/** A rule as the snapshot of a purchase keeps it. Its lines are places in the list of lines, which begin with 0. */
export type Multiplied = readonly [
  id: string,
  title: string,
  thousandths: number,
  minAmount: number,
  lines: readonly number[],
];
export type Added = readonly [
  id: string,
  title: string,
  points: number,
  per: 'purchase' | 'unit',
  minAmount: number,
  lines: readonly number[],
];

export interface RulesOnPurchase {
  /** The places of the lines that earn nothing. */
  readonly excluded: readonly number[];
  readonly multiplied: readonly Multiplied[];
  readonly added: readonly Added[];
  /** The ids of the rules with a limit that gave something, if the cap lets them. */
  readonly used: readonly string[];
}

/** Returns true if the lines of a purchase do not all count alike. */
export function isOfLines(ruled: RulesOnPurchase | null): ruled is RulesOnPurchase {
  return ruled !== null && (ruled.multiplied.length > 0 || ruled.excluded.length > 0);
}

/** Returns what the program's rules do to a purchase; null if it earns as if there were none. */
export function rulesOn(purchase: Earning): RulesOnPurchase | null {
  const { earning } = purchase.rules;
  if (earning.rules.length === 0 && earning.excluded === null && !earning.needsLines) return null;
  const sold = soldIn(purchase);
  const { excluded } = sold;
  const multiplied: Multiplied[] = [];
  const added: Added[] = [];
  const limited = new Set<string>();
  for (const rule of earning.rules) {
    if (!isBetween(rule, purchase.at) || !allowsBuyer(rule, purchase)) continue;
    const places = placesFor(rule.when, purchase, sold);
    if (places.length === 0) continue;
    const { id, title, gives } = rule;
    if (gives.kind === 'points')
      added.push([id, title, gives.points, gives.per, rule.when.minAmount, places]);
    else multiplied.push([id, title, gives.thousandths, rule.when.minAmount, places]);
    if (rule.limit !== null) limited.add(id);
  }
  if (excluded.length === 0 && multiplied.length === 0 && added.length === 0) return null;
  return { excluded, multiplied, added, used: usedOf(purchase, multiplied, added, limited) };
}

/** What of a purchase counts, and when it was made. */
export interface Sold {
  /** The places of the lines that earn nothing. */
  readonly excluded: readonly number[];
  /** The other lines. */
  readonly counting: readonly { readonly line: Line; readonly place: number }[];
  readonly local: () => LocalTime;
}

/** Without lines, the whole amount is one line of no product. */
export function soldIn({ rules, lines: said, amount, at }: Earning): Sold {
  const lines = said ?? [{ id: '', amount }];
  const excluded = excludedIn(lines, said === null, rules.earning);
  const counting = lines.flatMap((line, place) => (excluded.includes(place) ? [] : [{ line, place }]));
  return { excluded, counting, local: localTimeOf(at, rules.timeZone) };
}

/** Returns the places of the lines that conditions are about; none if anything does not hold that they ask of the whole purchase. */
export function placesFor(when: EarningConditions, purchase: Earning, { counting, local }: Sold): number[] {
  if (!holds(when, purchase, local)) return [];
  return counting.flatMap(({ line, place }) => (isOf(line, when) ? [place] : []));
}

/** Returns how often something is given for what is kept of a purchase: once, or for each unit of some of its lines. */
export function timesOf(
  kept: Kept,
  per: 'purchase' | 'unit',
  minAmount: number,
  places: readonly number[],
): number {
  if (kept.amount === 0 || kept.amount < minAmount) return 0;
  const lines = linesOf(kept);
  const ofIts = places.flatMap((place) => {
    const [amount, units] = lines[place]!;
    return amount > 0 || units > 0 ? [units] : [];
  });
  if (per === 'purchase') return ofIts.length === 0 ? 0 : 1;
  return ofIts.reduce((sum, units) => sum + units, 0);
}

/** A rule whose multiplier is not the highest on any line that was paid for has given nothing. */
function usedOf(
  purchase: Earning,
  multiplied: readonly Multiplied[],
  added: readonly Added[],
  limited: ReadonlySet<string>,
): string[] {
  if (limited.size === 0) return [];
  const lines = linesOf(wholeOf(purchase));
  const best = bestOf(multiplied, purchase.amount, lines.length);
  const onPaid = best.flatMap((one, place) => (one !== undefined && lines[place]![0] > 0 ? [one[0]] : []));
  const gave = [...onPaid, ...added.map(([id]) => id)];
  return [...new Set(gave)].filter((id) => limited.has(id));
}

/**
 * Returns the multiplier of each line: the highest of those that apply to it, of equal ones the first, or undefined for none. A rule with a
 * least amount no longer applies to less than that, but a multiplier below 1 stays: a return never makes the rest worth more.
 */
export function bestOf(
  multiplied: readonly Multiplied[],
  amount: number,
  lines: number,
): (Multiplied | undefined)[] {
  const best = Array.from<Multiplied | undefined>({ length: lines });
  for (const one of multiplied) {
    const [, , thousandths, minAmount, places] = one;
    if (amount < minAmount && thousandths >= 1000) continue;
    for (const place of places) {
      const other = best[place];
      if (other === undefined || other[2] < thousandths) best[place] = one;
    }
  }
  return best;
}

function excludedIn(
  lines: readonly Line[],
  isUnknown: boolean,
  { needsLines, excluded }: EarningRules,
): readonly number[] {
  if (isUnknown) return needsLines ? [0] : [];
  if (excluded === null) return [];
  return lines.flatMap((line, place) => (isExcluded(line, excluded) ? [place] : []));
}

function isExcluded(line: Line, { products, categories, discounted }: ExcludedLines): boolean {
  return (
    (discounted && line.discounted === true) ||
    (line.product != null && products.has(line.product)) ||
    (line.categories ?? []).some((category) => categories.has(category))
  );
}

/** Returns true if a rule is about this line. */
function isOf(line: Line, { products, categories }: EarningConditions): boolean {
  return (
    (products === null || (line.product != null && products.has(line.product))) &&
    (categories === null || (line.categories ?? []).some((category) => categories.has(category)))
  );
}

/** The time on the clock of the shop. */
interface LocalTime {
  readonly minutes: number;
  /** Monday is 1. */
  readonly weekday: number;
}

/** Returns the local time, which is computed only once it is asked for. */
function localTimeOf(at: Date, timeZone: string): () => LocalTime {
  let read: LocalTime | null = null;
  return () => {
    if (read === null) {
      const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
      read = { minutes: 60 * local.hour + local.minute, weekday: local.dayOfWeek };
    }
    return read;
  };
}

/** Returns true if a rule is in force at an instant, whoever buys what. */
export function isOpenAt(rule: EarningRule, at: Date, timeZone: string): boolean {
  return isBetween(rule, at) && isInTime(rule.when, localTimeOf(at, timeZone));
}

function isBetween({ from, to }: EarningRule, at: Date): boolean {
  return (from === null || from <= at) && (to === null || at < to);
}

/** Returns true if everything holds that conditions ask of a whole purchase. */
function holds(when: EarningConditions, purchase: Earning, local: () => LocalTime): boolean {
  const { at, branchId, registerId, channel, amount, tier, buyer, rules } = purchase;
  return (
    (when.channels === null || (channel !== null && when.channels.has(channel))) &&
    (when.branches === null || (branchId !== null && when.branches.has(branchId))) &&
    (when.registers === null || (registerId !== null && when.registers.has(registerId))) &&
    (when.levels === null || (tier !== null && when.levels.has(tier.id))) &&
    amount >= when.minAmount &&
    isInTime(when, local) &&
    (!when.firstPurchase || buyer?.purchases === 0) &&
    (when.joinedDays === null ||
      (buyer !== null && hasJoinedWithin(when.joinedDays, buyer.joinedAt, at, rules.timeZone)))
  );
}

/** The hours after a midnight belong to the day before it. */
function isInTime({ weekdays, hours }: EarningConditions, local: () => LocalTime): boolean {
  if (weekdays === null && hours === null) return true;
  const { minutes, weekday } = local();
  if (hours === null) return weekdays!.has(weekday);
  const passesMidnight = hours.from > hours.to;
  const isAfterMidnight = passesMidnight && minutes < hours.to;
  if (!isAfterMidnight && (minutes < hours.from || (!passesMidnight && minutes >= hours.to))) return false;
  const begun = isAfterMidnight ? (weekday === 1 ? 7 : weekday - 1) : weekday;
  return weekdays === null || weekdays.has(begun);
}

/** A rule that depends on who buys leaves out everybody of whom nothing is known. */
function allowsBuyer({ id, isPublic, limit }: EarningRule, { at, rules, buyer }: Earning): boolean {
  if (buyer === null) return isPublic && limit === null;
  if (limit === null) return true;
  return [at, buyer.arrivedAt ?? at].every((instant) => {
    const { from, to } = rules.earning.periodOf(instant, limit.per);
    const times = buyer.past.filter((one) => from <= one.at && one.at < to && one.used.includes(id)).length;
    return times < limit.times;
  });
}

function hasJoinedWithin(days: number, joinedAt: Date | null, at: Date, timeZone: string): boolean {
  if (joinedAt === null || joinedAt > at) return false;
  return daysBetween(localDay(joinedAt, timeZone), localDay(at, timeZone)) < days;
}
