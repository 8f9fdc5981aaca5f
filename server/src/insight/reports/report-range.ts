/** The range of a report: which days, how they are divided, and with which days they are compared. Pure functions. */
import { addDays, addMonths, daysBetween, wholeMonthsBetween, type Day } from '#calendar/calendar.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';

export const STEPS = ['day', 'week', 'month'] as const;
export type Step = (typeof STEPS)[number];

/** The range that a caller asked for. */
export interface AskedRange {
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
  readonly by?: Step | undefined;
}

/** Days from the first to the last, both included. */
export interface Days {
  readonly from: Day;
  readonly to: Day;
}

export interface ReportRange extends Days {
  readonly by: Step;
  /** The range right before, with which it is compared. */
  readonly before: Days;
  /** The days, weeks or months of both ranges, cut off at the ends of the range. */
  readonly periods: readonly Days[];
  readonly periodsBefore: readonly Days[];
}

/** Enough for three years of days or twenty of weeks. A page with more would show nothing. */
export const MOST_PERIODS = 1_100;

const FIRST_DAY: Day = '1970-01-01';
const DAYS_BY_DEFAULT = 30;

/**
 * Returns the range that was asked for: the 30 days up to today by default. Whole months are compared with as many whole months,
 * anything else with as many days.
 * @throws InvalidRequest
 */
export function resolveRange({ from, to, by = 'day' }: AskedRange, today: Day): ReportRange {
  const last = to ?? (from !== undefined && from > today ? from : today);
  const first = from ?? addDays(last, 1 - DAYS_BY_DEFAULT);
  refuseUnless(first <= last, 'to', 'The last day must not be before the first.');
  refuseUnless(first >= FIRST_DAY, 'from', `The first day must not be before ${FIRST_DAY}.`);
  refuseUnless(last <= addMonths(today, 120), 'to', 'The last day must not be more than ten years ahead.');
  const before = rangeBefore({ from: first, to: last });
  const days = daysBetween(first, last) + 1;
  const periods = days / { day: 1, week: 7, month: 28 }[by];
  refuseUnless(
    periods <= MOST_PERIODS,
    'by',
    'The range is too long for so small steps. Choose weeks or months.',
  );
  return {
    from: first,
    to: last,
    by,
    before,
    periods: divide({ from: first, to: last }, by),
    periodsBefore: divide(before, by),
  };
}

function rangeBefore({ from, to }: Days): Days {
  const next = addDays(to, 1);
  const last = addDays(from, -1);
  const isWholeMonths = from.endsWith('-01') && next.endsWith('-01');
  return isWholeMonths
    ? { from: addMonths(from, -wholeMonthsBetween(from, next)), to: last }
    : { from: addDays(from, -(daysBetween(from, to) + 1)), to: last };
}

function divide({ from, to }: Days, by: Step): Days[] {
  const periods: Days[] = [];
  for (let first = from; first <= to; first = addDays(periods.at(-1)!.to, 1)) {
    const last = lastDayOf(first, by);
    periods.push({ from: first, to: last < to ? last : to });
  }
  return periods;
}

function lastDayOf(day: Day, by: Step): Day {
  if (by === 'day') return day;
  if (by === 'week') return addDays(day, 7 - Temporal.PlainDate.from(day).dayOfWeek);
  return addDays(addMonths(`${day.slice(0, 7)}-01`, 1), -1);
}

function refuseUnless(holds: boolean, field: string, next: string): void {
  if (holds) return;
  throw new InvalidRequest(
    [
      {
        loc: ['query', field],
        msg: `Value error, ${next.charAt(0).toLowerCase()}${next.slice(1, -1)}`,
        type: 'value_error',
      },
    ],
    'invalid',
    next,
  );
}
