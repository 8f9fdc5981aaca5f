import type { Commerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { NOTHING, readDayFigures, sumPeriods, type PeriodFigures } from './read-figures.ts';
import type { ReportRange } from './report-range.ts';
import { createReport, type Report } from './report.ts';

export interface PurchasesFigures {
  readonly purchases: number;
  readonly amount: number;
  readonly returns: number;
  readonly returned_amount: number;
  readonly net_amount: number;
  readonly average_amount: number | null;
}

/** Members' purchases and their amount, with the returns on the day of the return. */
export async function readPurchasesReport(
  db: Db,
  commerce: Commerce,
  range: ReportRange,
): Promise<Report<PurchasesFigures>> {
  const { periods, periodsBefore } = await readDayFigures(db, commerce, range);
  return createReport(commerce, range, {
    total: purchasesFigures(sumPeriods(periods)),
    before: purchasesFigures(sumPeriods(periodsBefore)),
    periods: periods.map(purchasesFigures),
    periodsBefore: periodsBefore.map(purchasesFigures),
  });
}

export function purchasesFigures(figures: PeriodFigures): PurchasesFigures {
  const { movements: purchases, amount: bought } = figures.get('purchase') ?? NOTHING;
  const { amount: added } = figures.get('correction') ?? NOTHING;
  const { movements: returns, amount: taken } = figures.get('reversal') ?? NOTHING;
  const amount = bought + added;
  return {
    purchases,
    amount,
    returns,
    returned_amount: 0 - taken,
    net_amount: amount + taken,
    average_amount: purchases === 0 ? null : Math.round(amount / purchases),
  };
}
