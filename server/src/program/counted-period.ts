import { addDays, addMonths, localDay, startOfDay } from '#calendar/calendar.ts';
import type { CountedPeriod } from './earning-rules.ts';

/** Instants: `from` is included, `to` is not. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** Returns the local period in which an instant lies. Weeks begin on Monday. */
export type PeriodReader = (at: Date, per: CountedPeriod) => Span;

/** Returns a reader that remembers the last period of each kind, because nearly all purchases are made in the same few. */
export function createPeriodReader(timeZone: string): PeriodReader {
  const last = new Map<CountedPeriod, Span>();
  return (at, per) => {
    const known = last.get(per);
    if (known !== undefined && known.from <= at && at < known.to) return known;
    const span = spanOf(at, per, timeZone);
    last.set(per, span);
    return span;
  };
}

function spanOf(at: Date, per: CountedPeriod, timeZone: string): Span {
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
