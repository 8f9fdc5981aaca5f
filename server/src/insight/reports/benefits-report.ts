import { addDays, startOfDay } from '#calendar/calendar.ts';
import { benefitColumns, withStoredParts, type Benefit, type BenefitRow } from '#benefits/benefit.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { firstDays, inOrder } from './read-figures.ts';
import type { Days, ReportRange } from './report-range.ts';
import { createReport, type Report } from './report.ts';

export interface BenefitsFigures {
  readonly issued: number;
  readonly bought: number;
  readonly given: number;
  readonly points: number;
  readonly used: number;
  readonly given_back: number;
}

export interface BenefitsReport extends Report<BenefitsFigures> {
  readonly benefits: readonly BenefitLine[];
  /** The figures of each benefit in each period of the range, without those that have none. */
  readonly parts: readonly BenefitPart[];
}

export interface BenefitPart extends Days {
  readonly benefit: Benefit;
  readonly figures: BenefitsFigures;
}

export interface BenefitLine {
  readonly benefit: Benefit;
  readonly total: BenefitsFigures;
  readonly before: BenefitsFigures;
}

/** Codes issued and used, in all and for each benefit. Withdrawn benefits are listed if they have figures. */
export async function readBenefitsReport(
  db: Db,
  commerce: Commerce,
  range: ReportRange,
): Promise<BenefitsReport> {
  const benefits = await readAllBenefits(db, commerce.id);
  const rows = await countCodes(db, commerce, range);
  const isBefore = ({ period }: CodeRow) => period <= range.periodsBefore.length;
  const byPeriod = Map.groupBy(rows, ({ period }) => period);
  const byBenefit = Map.groupBy(rows, ({ benefitId }) => benefitId);
  const sumsOf = (rows: readonly CodeRow[]) => ({
    total: sumRows(rows.filter((row) => !isBefore(row))),
    before: sumRows(rows.filter(isBefore)),
  });
  const lines = benefits.map((benefit) => ({ benefit, ...sumsOf(byBenefit.get(benefit.id) ?? []) }));
  return {
    ...createReport(commerce, range, {
      ...sumsOf(rows),
      ...inOrder(range, (place) => sumRows(byPeriod.get(place + 1) ?? [])),
    }),
    benefits: lines.filter(({ benefit }) => benefit.withdrawnAt === null || byBenefit.has(benefit.id)),
    parts: range.periods.flatMap((days, i) => {
      const rows = byPeriod.get(range.periodsBefore.length + i + 1) ?? [];
      return benefits.flatMap((benefit) => {
        const row = rows.find(({ benefitId }) => benefitId === benefit.id);
        return row === undefined ? [] : [{ ...days, benefit, figures: sumRows([row]) }];
      });
    }),
  };
}

interface CodeRow extends Omit<BenefitsFigures, 'issued'> {
  readonly period: number;
  readonly benefitId: string;
}

/** Counts codes by the instants that their rows keep: issued, used, and given back or void. */
async function countCodes(db: Db, { id, rules }: Commerce, range: ReportRange): Promise<CodeRow[]> {
  const starts = firstDays(range).map((day) => startOfDay(day, rules.timeZone));
  const end = startOfDay(addDays(range.to, 1), rules.timeZone);
  const { rows } = await sql<CodeRow>`-- count-codes
    select period, benefit_id as "benefitId", sum(bought)::bigint as bought, sum(given)::bigint as given,
           sum(points)::bigint as points, sum(used)::bigint as used, sum(given_back)::bigint as given_back
      from (select width_bucket(v.issued_at, ${starts}::timestamptz[]) as period, v.benefit_id,
                   count(*) filter (where v.source = 'exchange') as bought,
                   count(*) filter (where v.source <> 'exchange') as given,
                   coalesce(sum(v.cost) filter (where v.source = 'exchange'), 0) as points, 0 as used, 0 as given_back
              from vouchers v
             where v.commerce_id = ${id} and v.issued_at >= ${starts[0]!} and v.issued_at < ${end}
             group by 1, 2
             union all
            select width_bucket(v.used_at, ${starts}::timestamptz[]), v.benefit_id, 0, 0, 0, count(*), 0
              from vouchers v
             where v.commerce_id = ${id} and v.used_at >= ${starts[0]!} and v.used_at < ${end}
             group by 1, 2
             union all
            -- A use that was undone counts on its day, and back on the day of the undo.
            select width_bucket(r.at, ${starts}::timestamptz[]), v.benefit_id, 0, 0, 0, sum(r.uses), 0
              from (select code, used_at as at, 1 as uses
                      from redemptions
                     where commerce_id = ${id} and undone_at is not null and used_at >= ${starts[0]!} and used_at < ${end}
                     union all
                    select code, undone_at, -1
                      from redemptions
                     where commerce_id = ${id} and undone_at >= ${starts[0]!} and undone_at < ${end}) r
              join vouchers v on v.commerce_id = ${id} and v.code = r.code
             group by 1, 2
             union all
            select width_bucket(v.given_back_at, ${starts}::timestamptz[]), v.benefit_id, 0, 0, 0, 0, count(*)
              from vouchers v
             where v.commerce_id = ${id} and v.given_back_at >= ${starts[0]!} and v.given_back_at < ${end}
             group by 1, 2) c
     group by period, benefit_id`.execute(db);
  return rows;
}

function sumRows(rows: readonly CodeRow[]): BenefitsFigures {
  const sum = (of: Exclude<keyof BenefitsFigures, 'issued'>) =>
    rows.reduce((total, row) => total + row[of], 0);
  const [bought, given] = [sum('bought'), sum('given')];
  return {
    issued: bought + given,
    bought,
    given,
    points: sum('points'),
    used: sum('used'),
    given_back: sum('given_back'),
  };
}

/** In the order of the catalog, withdrawn ones last. */
async function readAllBenefits(db: Db, commerceId: number): Promise<Benefit[]> {
  const { rows } = await sql<BenefitRow>`-- read-all-benefits
    select ${benefitColumns}
      from benefits b
     where b.commerce_id = ${commerceId}
     order by b.withdrawn_at is not null, b.position, b.id`.execute(db);
  return rows.map(withStoredParts);
}
