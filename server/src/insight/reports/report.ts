import type { Commerce } from '#commerces/commerce.ts';
import type { Days, ReportRange } from './report-range.ts';

/**
 * Figures by name. The names are those of the interface, because they are also the columns of the files and the kinds of the
 * lists that a figure is made of.
 */
export type Figures = object;

export interface PeriodOf<F extends Figures> extends Days {
  readonly figures: F;
}

/** Figures of a range, of its periods, and of the range before. */
export interface Report<F extends Figures> {
  readonly range: ReportRange;
  readonly asOf: Date;
  readonly today: string;
  readonly total: F;
  readonly before: F;
  readonly periods: readonly PeriodOf<F>[];
  readonly periodsBefore: readonly PeriodOf<F>[];
}

/** The parts of a report that a reader has counted, in the order of the range's periods. */
export interface CountedParts<F extends Figures> {
  readonly total: F;
  readonly before: F;
  readonly periods: readonly F[];
  readonly periodsBefore: readonly F[];
}

export function createReport<F extends Figures>(
  { now, today }: Commerce,
  range: ReportRange,
  { total, before, periods, periodsBefore }: CountedParts<F>,
): Report<F> {
  return {
    range,
    asOf: now,
    today,
    total,
    before,
    periods: range.periods.map((days, i) => ({ ...days, figures: periods[i]! })),
    periodsBefore: range.periodsBefore.map((days, i) => ({ ...days, figures: periodsBefore[i]! })),
  };
}
