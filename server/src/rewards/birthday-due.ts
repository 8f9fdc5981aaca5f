import { addDays, daysBetween, type Day } from '#calendar/calendar.ts';

/** For how many days after a birthday a missed run is caught up. */
export const CATCH_UP_DAYS = 7;

/**
 * For how many days at most birthdays are caught up that a failing job has missed. A year less these is more than the
 * days between two rewards, so that a late reward never costs the next one.
 */
export const FAILED_DAYS = 60;

/** How far apart two birthday rewards of a member lie at least, whatever is done to the birth date. */
const DAYS_APART = 300;

/** What is known of a member's birthdays, in local days. */
export interface BirthdayFacts {
  readonly birthDate: Day;
  /** When the date was told; null if that is not known. */
  readonly enteredOn: Day | null;
  /** Years of the birthdays that were rewarded. */
  readonly yearsGiven: readonly string[];
  /** When the last of these rewards was handed out. */
  readonly lastGivenOn: Day | null;
}

/** The day of a birthday in a year: 29 February is 28 February where there is none. */
export function birthdayIn(year: number, birthDate: Day): Day {
  const { month, day } = Temporal.PlainDate.from(birthDate);
  return Temporal.PlainDate.from({ year, month, day }).toString(); // clamps
}

/** The first day whose birthdays are rewarded `today`. `failingSince` is the day since when the job has been failing. */
export function catchUpFrom(today: Day, failingSince: Day | null): Day {
  const missedFrom = addDays(failingSince ?? today, -CATCH_UP_DAYS);
  const earliest = addDays(today, -FAILED_DAYS);
  return missedFrom < earliest ? earliest : missedFrom;
}

/**
 * The year of the birthday that a member is to be rewarded for `today`: one of the days from `from` to today. Null if
 * there is none, or if the date was entered on the day itself or after it; then the next birthday counts.
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

/** Month and day of everybody whose birthday may be due, as the index of birthdays has them: 229 is 29 February. */
export function birthdaysBetween(from: Day, today: Day): number[] {
  const length = daysBetween(from, today) + 1;
  const days = Array.from({ length }, (_, since) => monthAndDay(addDays(today, -since)));
  return days.includes(228) && !days.includes(229) ? [...days, 229] : days;
}

function monthAndDay(day: Day): number {
  return Number(day.slice(5, 7)) * 100 + Number(day.slice(8, 10));
}
