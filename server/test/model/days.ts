/** Calendar days, computed simply and without the service's calendar. A day is '2027-01-31'. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the local day in the zone at an instant. */
export function dayAt(instant: number, zone: string): string {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
    formats.set(zone, format);
  }
  return format.format(instant);
}

export function plusDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Adds months one by one. If the month has no such day, returns its last day. */
export function plusMonths(day: string, months: number): string {
  let [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))];
  for (let i = 0; i < months; i++) [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!;
  const date = Math.min(Number(day.slice(8)), length);
  return `${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`;
}

/** Returns the first instant after `instant`, to the second, that is on another day. */
export function nextMidnight(instant: number, zone: string): number {
  const today = dayAt(instant, zone);
  let [before, after] = [instant, instant + 50 * 3_600_000];
  while (after - before > 1_000) {
    const middle = Math.floor((before + after) / 2);
    if (dayAt(middle, zone) === today) before = middle;
    else after = middle;
  }
  return Math.ceil(after / 1_000) * 1_000;
}

/** Returns the last millisecond of a day. Everywhere, days begin on a quarter of an hour. */
export function endOfDayAt(day: string, zone: string): number {
  let instant = Date.parse(`${day}T00:00:00Z`) + 30 * 3_600_000;
  while (dayAt(instant, zone) > day) instant -= 900_000;
  return instant + 900_000 - 1;
}

/** Returns the first millisecond of a day. */
export function firstInstantOf(day: string, zone: string): number {
  return endOfDayAt(plusDays(day, -1), zone) + 1;
}
