import type { ReportStep } from '@loyalty/sdk/admin';
import { useContext, useMemo } from 'react';
import { LocaleContext } from '../language.ts';
import { dateOf, endOfMonth, startOfMonth, type Day, type Days } from './days.ts';

/** Names days, weeks and months of the calendar. */
export interface PeriodNames {
  /** `Sat, 21 Nov`, `16 – 22 Nov` or `November 2026`, for a line of a table. */
  readonly long: (period: Days, by: ReportStep) => string;
  /** `21 Nov` or `Nov`, for an axis. */
  readonly short: (period: Days, by: ReportStep) => string;
  /** `24 Oct – 22 Nov 2026`; a single day, or whole months, are said as such. */
  readonly range: (days: Days) => string;
  readonly month: (day: Day) => string;
  /** `Sunday, 22 November`. */
  readonly day: (day: Day) => string;
  readonly weekday: (day: Day) => string;
}

export function usePeriodNames(): PeriodNames {
  const locale = useContext(LocaleContext);
  return useMemo(() => createPeriodNames(locale), [locale]);
}

export function createPeriodNames(locale: string): PeriodNames {
  const formatOf = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  const weekdayAndDay = formatOf({ weekday: 'short', day: 'numeric', month: 'short' });
  const day = formatOf({ day: 'numeric', month: 'short' });
  const dayAndYear = formatOf({ day: 'numeric', month: 'short', year: 'numeric' });
  const month = formatOf({ month: 'long', year: 'numeric' });
  const shortMonth = formatOf({ month: 'short' });
  const shortMonthAndYear = formatOf({ month: 'short', year: '2-digit' });
  const longDay = formatOf({ weekday: 'long', day: 'numeric', month: 'long' });
  const weekday = formatOf({ weekday: 'long' });

  const isWholeMonth = ({ from, to }: Days) => from === startOfMonth(from) && to === endOfMonth(from);
  const between = (format: Intl.DateTimeFormat, { from, to }: Days) =>
    from === to ? format.format(dateOf(from)) : format.formatRange(dateOf(from), dateOf(to));
  return {
    long(period, by) {
      if (by === 'day') return weekdayAndDay.format(dateOf(period.from));
      if (by === 'month' && isWholeMonth(period)) return month.format(dateOf(period.from));
      return between(by === 'month' ? dayAndYear : day, period);
    },
    short({ from }, by) {
      if (by !== 'month') return day.format(dateOf(from));
      return (from.slice(5, 7) === '01' ? shortMonthAndYear : shortMonth).format(dateOf(from));
    },
    range(days) {
      if (isWholeMonth(days)) return month.format(dateOf(days.from));
      return between(dayAndYear, days);
    },
    month: (of) => month.format(dateOf(of)),
    day: (of) => longDay.format(dateOf(of)),
    weekday: (of) => weekday.format(dateOf(of)),
  };
}
