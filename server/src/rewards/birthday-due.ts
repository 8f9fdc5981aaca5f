import { addDays, daysBetween, type Day } from '#calendar/calendar.ts';

/** How many days late a birthday can be rewarded if the job did not run. */
export const CATCH_UP_DAYS = 7;

/**
 * How many days late a birthday can be rewarded if the job ran and failed. The next birthday is then still more than
 * `DAYS_APART` away, so a late reward never costs the member the next one.
 */
export const FAILED_DAYS = 60;

/** Two birthday rewards of a member are at least this far apart, even if the birth date is edited. */
const DAYS_APART = 300;

/** A member's birth date and birthday rewards, in local days. */
export interface BirthdayFacts {
  readonly birthDate: Day;
  /** When the birth date was entered; null if unknown. */
  readonly enteredOn: Day | null;
  /** Years whose birthday was rewarded. */
  readonly yearsGiven: readonly string[];
  /** When the last of these rewards was handed out; null if there was none. */
  readonly lastGivenOn: Day | null;
}

/** Returns the birthday in a year: 28 February for 29 February if the year has none. */
export function birthdayIn(year: number, birthDate: Day): Day {
  const { month, day } = Temporal.PlainDate.from(birthDate);
  return Temporal.PlainDate.from({ year, month, day }).toString(); // clamps
}

/**
 * Returns the first day whose birthdays are rewarded `today`. `failingSince` is the day on which the job began to fail.
 */
export function catchUpFrom(today: Day, failingSince: Day | null): Day {
  const missedFrom = addDays(failingSince ?? today, -CATCH_UP_DAYS);
  const earliest = addDays(today, -FAILED_DAYS);
  return missedFrom < earliest ? earliest : missedFrom;
}

/**
 * Returns the year of the birthday that a member is to be rewarded for `today`, which is a day from `from` to today.
 * Null if there is none, or if the birth date was entered on the day itself or later; then the next birthday counts.
 */
export function birthdayDue(facts: BirthdayFacts, from: Day, today: Day): number | null {
  const { birthDate, enteredOn, yearsGiven, lastGivenOn } = facts;
  if (lastGivenOn !== null && addDays(lastGivenOn, DAYS_APART) > today) return null;
  const thisYear = Number(today.slice(0, 4));
  for (const year of [thisYear, thisYear - 1]) {
    const birthday = birthdayIn(year, birthDate);
    const known = enteredOn === null || enteredOn < birthday;
    const given = yearsGiven.includes(String(year));
    if (from <= birthday && birthday <= today && known && !given && birthday > birthDate) return year;
  }
  return null;
}

/** Returns month and day of each day on which a birthday may be due, as the index has them: 229 is 29 February. */
export function birthdaysBetween(from: Day, today: Day): number[] {
  const length = daysBetween(from, today) + 1;
  const days = Array.from({ length }, (_, since) => monthAndDay(addDays(today, -since)));
  return days.includes(228) && !days.includes(229) ? [...days, 229] : days;
}

function monthAndDay(day: Day): number {
  return Number(day.slice(5, 7)) * 100 + Number(day.slice(8, 10));
}
