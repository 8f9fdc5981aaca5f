/** Days of the calendar, written `YYYY-MM-DD`. They have no time and no zone. */
export type Day = string;

/** A range of days. Both ends belong to it. */
export interface Days {
  readonly from: Day;
  readonly to: Day;
}

const DAY_MS = 86_400_000;

const instantOf = (day: Day): number => Date.parse(`${day}T00:00:00Z`);
const dayOf = (instant: number): Day => new Date(instant).toISOString().slice(0, 10);

export function isDay(text: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(instantOf(text)) && dayOf(instantOf(text)) === text
  );
}

export function addDays(day: Day, days: number): Day {
  return dayOf(instantOf(day) + days * DAY_MS);
}

export function countDays({ from, to }: Days): number {
  return Math.round((instantOf(to) - instantOf(from)) / DAY_MS) + 1;
}

/** The first day of the month that lies so many months away. */
export function startOfMonth(day: Day, months = 0): Day {
  return dayOf(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1 + months, 1));
}

export function endOfMonth(day: Day): Day {
  return addDays(startOfMonth(day, 1), -1);
}

/** A day as an instant that lies on it in UTC, for formats that are in UTC too. */
export function dateOf(day: Day): Date {
  return new Date(instantOf(day));
}
