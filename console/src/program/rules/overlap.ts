/** Which rules can apply to the same line of one purchase. */
import type { Rule } from './sentence.ts';

/** Returns the other rules that each rule can meet, by its id. Paused rules meet none. */
export function meetingsOf(rules: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> {
  const running = rules.filter(({ paused }) => !paused);
  return new Map(
    running.map((rule) => [rule.id, running.filter((other) => other !== rule && canMeet(rule, other))]),
  );
}

/**
 * Returns true unless something rules out that both apply to one line. Two lists of categories without a common one count as such, although
 * a product may be in both.
 */
export function canMeet(one: Rule, other: Rule): boolean {
  const [a, b] = [one.when, other.when];
  return (
    canShare(a.products, b.products) &&
    canShare(a.categories, b.categories) &&
    canShare(a.channels, b.channels) &&
    canShare(a.branches, b.branches) &&
    canShare(a.registers, b.registers) &&
    canShare(a.levels, b.levels) &&
    isBefore(one.from, other.to) &&
    isBefore(other.from, one.to) &&
    minutesOf(a).some(([from, to]) => minutesOf(b).some(([begin, end]) => from < end && begin < to))
  );
}

/** An empty list is no condition. */
const canShare = (some: readonly (string | number)[], others: readonly (string | number)[]): boolean =>
  some.length === 0 || others.length === 0 || some.some((one) => others.includes(one));

const isBefore = (from: string | null, to: string | null): boolean =>
  from === null || to === null || !(Date.parse(from) >= Date.parse(to));

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const DAY = 24 * 60;

/** The minutes of a week in which the rule holds. Hours after midnight belong to the day on which the night began. */
function minutesOf({ weekdays, hours }: Rule['when']): (readonly [from: number, to: number])[] {
  const days = weekdays.length === 0 ? WEEK : weekdays;
  const [from, to] = [minuteOf(hours?.from) ?? 0, minuteOf(hours?.to) ?? DAY];
  return days.flatMap((day) => {
    const start = WEEK.indexOf(day) * DAY;
    const end = start + (to > from ? to : to + DAY);
    const week = WEEK.length * DAY;
    // The night after Sunday ends on Monday.
    return end > week
      ? [[start + from, week] as const, [0, end - week] as const]
      : [[start + from, end] as const];
  });
}

function minuteOf(time: string | undefined): number | null {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(time ?? '') ?? [];
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes);
}
