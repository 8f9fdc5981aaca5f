import { addDays, addMonths, type Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { pointsOf, readDayFigures, sumPeriods, type PeriodFigures } from './read-figures.ts';
import { pointsFigures } from './points-report.ts';
import type { Days, ReportRange } from './report-range.ts';
import { createReport, type Report } from './report.ts';

export interface LiabilityFigures {
  readonly outstanding: number;
  readonly broken: number;
  readonly spent: number;
  readonly breakage_percent: number | null;
}

export interface LiabilityReport extends Report<LiabilityFigures> {
  readonly now: LiabilityNow;
  /** By month, from the current one on; the last one has no end. Months without points are left out. */
  readonly endings: readonly Ending[];
}

/** Points that can be spent at this moment. */
export interface LiabilityNow {
  readonly points: number;
  readonly holders: number;
  /** Above zero. */
  readonly debt: number;
  readonly debtors: number;
  readonly neverEnd: number;
  /** Of people who have not joined. */
  readonly waiting: number;
}

export interface Ending {
  readonly from: Day;
  readonly to: Day | null;
  readonly points: number;
  readonly holders: number;
}

/** Points that can still be spent, when they end, and how many ended unspent. */
export async function readLiabilityReport(
  db: Db,
  commerce: Commerce,
  range: ReportRange,
): Promise<LiabilityReport> {
  const { openingPoints, periods, periodsBefore } = await readDayFigures(db, commerce, range);
  const now = await readLiability(db, commerce);
  const endings = await readEndings(db, commerce);
  let outstanding = openingPoints;
  const figures = (period: PeriodFigures) => {
    outstanding += pointsOf(period);
    return liabilityFigures(period, outstanding);
  };
  const before = periodsBefore.map(figures);
  const shown = periods.map(figures);
  return {
    ...createReport(commerce, range, {
      total: liabilityFigures(sumPeriods(periods), shown.at(-1)!.outstanding),
      before: liabilityFigures(sumPeriods(periodsBefore), before.at(-1)!.outstanding),
      periods: shown,
      periodsBefore: before,
    }),
    now,
    endings,
  };
}

function liabilityFigures(period: PeriodFigures, outstanding: number): LiabilityFigures {
  const { expired, erased, spent: exchanged, given_back } = pointsFigures(period);
  const [broken, spent] = [expired + erased, exchanged - given_back];
  const ended = broken + spent;
  return {
    outstanding,
    broken,
    spent,
    breakage_percent:
      ended <= 0 || broken < 0 || spent < 0 ? null : Math.round((1_000 * broken) / ended) / 10,
  };
}

/** Reads what can be spent now, from the points by day that every purchase and exchange reads too. */
export async function readLiability(db: Db, { id, today, now }: Commerce): Promise<LiabilityNow> {
  // A person who owes points holds none that can be spent, so each person is on one side.
  const { rows } = await sql<LiabilityNow>`-- read-liability
    select coalesce(sum(h.points) filter (where h.points > 0), 0)::bigint as points,
           count(*) filter (where h.points > 0) as holders,
           coalesce(-sum(h.points) filter (where h.points < 0), 0)::bigint as debt,
           count(*) filter (where h.points < 0) as debtors,
           coalesce(sum(h.never_end) filter (where h.points > 0), 0)::bigint as "neverEnd",
           (select coalesce(sum(b.points), 0)::bigint
              from members m
              join balances b on b.commerce_id = m.commerce_id and b.member_id = m.id
             where m.commerce_id = ${id} and m.state = 'invited' and b.points > 0 and b.expires_on >= ${today}::date) as waiting
      from (select member_id, sum(points) as points, sum(points) filter (where expires_on = 'infinity') as never_end
              from (select member_id, points, expires_on
                      from balances
                     where commerce_id = ${id} and expires_on >= ${today}::date
                     union all
                    select member_id, points, null
                      from pending_points
                     where commerce_id = ${id} and becomes = 'available' and due_at <= ${now}) b
             group by member_id) h`.execute(db);
  return rows[0]!;
}

const MONTHS_SHOWN = 36;

async function readEndings(db: Db, { id, today }: Commerce): Promise<Ending[]> {
  const months = monthsFrom(today);
  const starts = months.map(({ from }) => from);
  const { rows } = await sql<{ month: number; points: number; holders: number }>`-- read-endings
    select month, sum(points)::bigint as points, count(*) as holders
      from (select width_bucket(expires_on, ${starts}::date[]) as month, member_id, sum(points) as points
              from balances
             where commerce_id = ${id} and expires_on >= ${today}::date and expires_on < 'infinity' and points > 0
             group by 1, 2) b
     group by month
     order by month`.execute(db);
  return rows.map(({ month, points, holders }) => ({ ...months[month - 1]!, points, holders }));
}

/** Returns the rest of this month, the months after it, and everything later. */
function monthsFrom(today: Day): (Omit<Days, 'to'> & { to: Day | null })[] {
  const first = `${today.slice(0, 7)}-01`;
  return Array.from({ length: MONTHS_SHOWN + 1 }, (_, i) => ({
    from: i === 0 ? today : addMonths(first, i),
    to: i === MONTHS_SHOWN ? null : addDays(addMonths(first, i + 1), -1),
  }));
}

/** Reads which points end within so many days. */
export async function readEndingSoon(
  db: Db,
  { id, today }: Commerce,
  days: number,
): Promise<{ points: number; holders: number; firstDay: Day | null }> {
  const { rows } = await sql<{ points: number; holders: number; firstDay: Day | null }>`-- read-ending-soon
    select coalesce(sum(points), 0)::bigint as points, count(distinct member_id) as holders, min(expires_on) as "firstDay"
      from balances
     where commerce_id = ${id} and expires_on between ${today}::date and ${addDays(today, days)}::date and points > 0`.execute(
    db,
  );
  return rows[0]!;
}
