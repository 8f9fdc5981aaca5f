import { addDays, daysBetween, type Day } from '#calendar/calendar.ts';

/** A missed birthday is rewarded up to this many days later. */
export const CATCH_UP_DAYS = 7;

/**
 * After a job has kept failing, a missed birthday is rewarded up to this many days later. This is less than the
 * difference between a year and the shortest time between two rewards, so a late reward never costs the member the
 * next one.
 */
export const FAILED_DAYS = 60;

/** The shortest time between two birthday rewards of a member, even if the birth date is changed. */
const DAYS_APART = 300;

/** The facts that the rules need about a member's birthdays, in local days. */
export interface BirthdayFacts {
  readonly birthDate: Day;
  /** When the member entered the date. Null if unknown. */
  readonly enteredOn: Day | null;
  /** The years of the birthdays that were rewarded. */
  readonly yearsGiven: readonly string[];
  /** When the last of these rewards was given. */
  readonly lastGivenOn: Day | null;
}

/** Returns the day of a birthday in a year. 29 February becomes 28 February in years without it. */
export function birthdayIn(year: number, birthDate: Day): Day {
  const { month, day } = Temporal.PlainDate.from(birthDate);
  return Temporal.PlainDate.from({ year, month, day }).toString(); // clamps
}

/**
 * Returns the first day whose birthdays are rewarded `today`. `failingSince` is the day since which the job has been
 * failing.
 */
export function catchUpFrom(today: Day, failingSince: Day | null): Day {
  const missedFrom = addDays(failingSince ?? today, -CATCH_UP_DAYS);
  const earliest = addDays(today, -FAILED_DAYS);
  return missedFrom < earliest ? earliest : missedFrom;
}

/**
 * Returns the year of the birthday to reward `today`, among the days from `from` to today. Returns null if there is
 * none. A date that was entered on the birthday or after it counts from the next birthday on.
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

/**
 * Returns the days on which members with a due birthday may have been born, as the birthday index stores them: 229 is
 * 29 February.
 */
export function birthdaysBetween(from: Day, today: Day): number[] {
  const length = daysBetween(from, today) + 1;
  const days = Array.from({ length }, (_, since) => monthAndDay(addDays(today, -since)));
  return days.includes(228) && !days.includes(229) ? [...days, 229] : days;
}

function monthAndDay(day: Day): number {
  return Number(day.slice(5, 7)) * 100 + Number(day.slice(8, 10));
}
