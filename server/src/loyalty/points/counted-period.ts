import { addDays, addMonths, localDay, startOfDay } from '#calendar/calendar.ts';
import type { CountedPeriod } from '#program/earning-rules.ts';

/** Instants: `from` is included, `to` is not. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** Returns the local period in which an instant lies. Weeks begin on Monday. */
export function periodOf(at: Date, per: CountedPeriod, timeZone: string): Span {
  if (per === 'ever') return { from: new Date(EARLIEST), to: new Date(LATEST) };
  const day = localDay(at, timeZone);
  const first =
    per === 'day'
      ? day
      : per === 'month'
        ? `${day.slice(0, 7)}-01`
        : addDays(day, 1 - Temporal.PlainDate.from(day).dayOfWeek);
  const next = per === 'month' ? addMonths(first, 1) : addDays(first, per === 'day' ? 1 : 7);
  return { from: startOfDay(first, timeZone), to: startOfDay(next, timeZone) };
}

const EARLIEST = '0001-01-01T00:00:00Z';
const LATEST = '9999-01-01T00:00:00Z';
