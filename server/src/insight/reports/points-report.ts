import type { Commerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { NOTHING, pointsOf, readDayFigures, sumPeriods, type PeriodFigures } from './read-figures.ts';
import type { ReportRange } from './report-range.ts';
import { createReport, type Report } from './report.ts';

/** How points came and went. All are above zero, except `change` and, where debts ended, `erased`. */
export interface PointsFigures {
  readonly earned: number;
  readonly from_purchases: number;
  readonly from_rewards: number;
  readonly added_by_hand: number;
  readonly spent: number;
  readonly given_back: number;
  readonly returned: number;
  readonly taken_by_hand: number;
  readonly expired: number;
  readonly erased: number;
  readonly change: number;
}

/** Points earned, spent, expired and returned. */
export async function readPointsReport(
  db: Db,
  commerce: Commerce,
  range: ReportRange,
): Promise<Report<PointsFigures>> {
  const { periods, periodsBefore } = await readDayFigures(db, commerce, range);
  return createReport(commerce, range, {
    total: pointsFigures(sumPeriods(periods)),
    before: pointsFigures(sumPeriods(periodsBefore)),
    periods: periods.map(pointsFigures),
    periodsBefore: periodsBefore.map(pointsFigures),
  });
}

/** Returns the figures of the kinds of movements. They are defined in docs/reports.md. */
export function pointsFigures(figures: PeriodFigures): PointsFigures {
  const points = (kind: Parameters<PeriodFigures['get']>[0]) => (figures.get(kind) ?? NOTHING).points;
  const [from_purchases, from_rewards, added_by_hand] = [
    points('purchase') + points('correction') + points('available'),
    points('reward'),
    points('added'),
  ];
  return {
    earned: from_purchases + from_rewards + added_by_hand,
    from_purchases,
    from_rewards,
    added_by_hand,
    spent: 0 - points('exchange'),
    given_back: points('give_back'),
    returned: 0 - points('reversal'),
    taken_by_hand: 0 - points('taken'),
    expired: 0 - points('expiry'),
    erased: 0 - points('erased'),
    change: pointsOf(figures),
  };
}
