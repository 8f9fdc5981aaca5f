import { addMonths, type Day } from '#calendar/calendar.ts';

/** Each month is a line of the answer. */
const MOST_MONTHS = 600;

/** The days that a caller asks about. */
export interface AskedRange {
  /** First day; twelve months ago by default. */
  readonly from?: Day | undefined;
  /** Last day; today by default, and at most. */
  readonly to?: Day | undefined;
}

/** Returns the first and the last day. */
export function daysOf({ from, to }: AskedRange, today: Day): { first: Day; last: Day } {
  return { first: from ?? addMonths(today, -12), last: to === undefined || to > today ? today : to };
}

/** Returns which of the two days cannot be asked about and why, or null. */
export function whyNoRange(
  range: AskedRange,
  today: Day,
): { field: 'from' | 'to'; reason: string; next: string } | null {
  const { first, last } = daysOf(range, today);
  if (first > today)
    return { field: 'from', reason: 'from is in the future', next: 'send a day that has begun' };
  if (first < addMonths(today, -MOST_MONTHS))
    return { field: 'from', reason: 'from is more than 50 years ago', next: 'send a later day' };
  if (last < first) return { field: 'to', reason: 'to is before from', next: 'swap them, or leave one out' };
  return null;
}
