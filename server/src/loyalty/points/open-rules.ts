import { addDays, localDay, startOfDay } from '#calendar/calendar.ts';
import type { EarningRule, EarningRules } from '#program/earning-rules.ts';
import { isOpenAt } from './rules-on-purchase.ts';

/** A public rule that is in force now or in the next seven days. */
export interface OpenRule {
  readonly rule: EarningRule;
  /** Null if it is in force now. */
  readonly opensAt: Date | null;
  /** When it stops for the first time after that; null if it does not in seven days. */
  readonly closesAt: Date | null;
}

const DAYS = 7;

/** Returns the public rules of now and the next seven days: those that are in force now first, then the earliest. */
export function openRules({ rules }: EarningRules, now: Date, timeZone: string): OpenRule[] {
  return rules
    .filter(({ isPublic }) => isPublic)
    .flatMap((rule) => {
      const instants = turnsOf(rule, now, timeZone);
      const isOpen = isOpenAt(rule, now, timeZone);
      const opensAt = isOpen ? null : instants.find((at) => isOpenAt(rule, at, timeZone));
      if (opensAt === undefined) return [];
      const from = opensAt ?? now;
      const closesAt = instants.find((at) => at > from && !isOpenAt(rule, at, timeZone)) ?? null;
      return [{ rule, opensAt, closesAt }];
    })
    .toSorted((one, other) => (one.opensAt?.getTime() ?? 0) - (other.opensAt?.getTime() ?? 0));
}

/** Returns the instants of the next seven days at which a rule may start or stop, in order. */
function turnsOf({ from, to, when }: EarningRule, now: Date, timeZone: string): Date[] {
  const end = new Date(now.getTime() + DAYS * 86_400_000);
  const today = localDay(now, timeZone);
  const days = Array.from({ length: DAYS + 2 }, (_, i) => addDays(today, i));
  const times = when.hours === null ? [] : [when.hours.from, when.hours.to];
  const turns = days.flatMap((day) => [
    startOfDay(day, timeZone),
    ...times.map((minutes) => instantAt(day, minutes, timeZone)),
  ]);
  return [...turns, ...[from, to].filter((at) => at !== null)]
    .filter((at) => now < at && at <= end)
    .toSorted((one, other) => one.getTime() - other.getTime());
}

/** Returns the instant of a local time. A time that the clocks skip is the one after it. */
function instantAt(day: string, minutes: number, timeZone: string): Date {
  const time = Temporal.PlainDateTime.from(`${day}T00:00`).add({ minutes });
  return new Date(time.toZonedDateTime(timeZone).epochMilliseconds);
}
