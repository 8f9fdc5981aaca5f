import { addDays, daysBetween, type Day } from '#calendar/calendar.ts';

/** For how many days after a birthday a missed run is caught up. */
export const CATCH_UP_DAYS = 7;

/** The day of a birthday in a year: 29 February is 28 February where there is none. */
export function birthdayIn(year: number, birthDate: Day): Day {
  const { month, day } = Temporal.PlainDate.from(birthDate);
  return Temporal.PlainDate.from({ year, month, day }).toString(); // clamps
}

/**
 * The year of the birthday that a member is to be rewarded for `today`: one of today or of the last 7 days. Null where
 * there is none, or where the date was entered on the day itself or after it; then the next birthday counts.
 * @param enteredOn local day on which the date was entered; null where that is not known
 */
export function birthdayDue(birthDate: Day, enteredOn: Day | null, today: Day): number | null {
  const thisYear = Number(today.slice(0, 4));
  for (const year of [thisYear, thisYear - 1]) {
    const birthday = birthdayIn(year, birthDate);
    const since = daysBetween(birthday, today);
    const known = enteredOn === null || enteredOn < birthday;
    if (since >= 0 && since <= CATCH_UP_DAYS && known && birthday > birthDate) return year;
  }
  return null;
}

/** Month and day of everybody whose birthday may be due, as the index of birthdays has them: 229 is 29 February. */
export function birthdaysAround(today: Day): number[] {
  const days = Array.from({ length: CATCH_UP_DAYS + 1 }, (_, since) => monthAndDay(addDays(today, -since)));
  return days.includes(228) ? [...days, 229] : days;
}

export function monthAndDay(day: Day): number {
  return Number(day.slice(5, 7)) * 100 + Number(day.slice(8, 10));
}
