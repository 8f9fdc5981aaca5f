import type { Commerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { SPREADSHEET_MARK, writeHeader, writeRows, type ExportedRow } from '#exports/write-rows.ts';
import { readBenefitsReport } from '#reports/benefits-report.ts';
import { readEarningReport, type SoldFigures } from '#reports/earning-report.ts';
import { readLevelsReport } from '#reports/levels-report.ts';
import { readLiabilityReport } from '#reports/liability-report.ts';
import { readMembersReport } from '#reports/members-report.ts';
import { readPointsReport } from '#reports/points-report.ts';
import { readPurchasesReport } from '#reports/purchases-report.ts';
import type { Report } from '#reports/report.ts';
import type { ReportRange } from '#reports/report-range.ts';

export const REPORT_FILES = [
  'points',
  'members',
  'purchases',
  'liability',
  'endings',
  'benefits',
  'levels',
  'earning',
] as const;
export type ReportFile = (typeof REPORT_FILES)[number];

/** Returns a report as CSV: the rows of its table, or only the names of the columns. */
export async function writeReportFile(
  db: Db,
  commerce: Commerce,
  range: ReportRange,
  name: ReportFile,
): Promise<string> {
  const rows = await ROWS[name](db, commerce, range);
  return SPREADSHEET_MARK + writeHeader(Object.keys(rows[0] ?? NO_ENDINGS), 'csv') + writeRows(rows, 'csv');
}

/** All the others have a row for each period or tier, or at least one for the range. */
const NO_ENDINGS = { from: '', to: '', points: 0, holders: 0 };

type ReadRows = (db: Db, commerce: Commerce, range: ReportRange) => Promise<readonly ExportedRow[]>;

const ROWS: Readonly<Record<ReportFile, ReadRows>> = {
  points: async (...asked) => periodsOf(await readPointsReport(...asked)),
  members: async (...asked) => periodsOf(await readMembersReport(...asked)),
  purchases: async (...asked) => periodsOf(await readPurchasesReport(...asked)),
  liability: async (...asked) => periodsOf(await readLiabilityReport(...asked)),

  endings: async (...asked) => {
    const { endings } = await readLiabilityReport(...asked);
    return endings.map(({ from, to, points, holders }) => ({ from, to, points, holders }));
  },

  benefits: async (db, commerce, range) => {
    const { parts, total } = await readBenefitsReport(db, commerce, range);
    const rows = parts.map(({ from, to, benefit, figures }) => ({
      from,
      to,
      benefit_id: benefit.id,
      title: benefit.title,
      ...figures,
    }));
    const { from, to } = range;
    return rows.length > 0 ? rows : [{ from, to, benefit_id: null, title: null, ...total }];
  },

  earning: async (...asked) => {
    const { total, rules, products, categories, branches, hours } = await readEarningReport(...asked);
    const sold = (by: string, { named, others, unnamed }: SoldFigures) => [
      ...named.map(({ name, ...figures }) => ({ by, id: name, name, ...figures })),
      { by, id: null, name: 'others', ...others },
      { by, id: null, name: 'not named', ...unnamed },
    ];
    return [
      { by: 'all', id: null, name: null, ...total },
      ...rules.map(({ id, title, purchases, amount, points }) => ({
        by: 'rule',
        id,
        name: title,
        purchases,
        amount,
        points,
      })),
      ...sold('product', products),
      ...sold('category', categories),
      ...branches.map(({ branchId: id, ...figures }) => ({ by: 'branch', id, ...figures })),
      ...hours.map(({ weekday, hour, ...figures }) => ({
        by: 'hour',
        id: `${weekday}-${String(hour).padStart(2, '0')}`,
        name: null,
        ...figures,
      })),
    ];
  },

  levels: async (...asked) => {
    const { levels } = await readLevelsReport(...asked);
    return levels.map(({ id, name, members, percent, reached, reachedBefore }) => ({
      level_id: id,
      name,
      members,
      percent,
      reached,
      reached_before: reachedBefore,
    }));
  },
};

function periodsOf<Figures extends object>({ periods }: Report<Figures>): ExportedRow[] {
  return periods.map(({ from, to, figures }) => ({ from, to, ...figures }));
}
