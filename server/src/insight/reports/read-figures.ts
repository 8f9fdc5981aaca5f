/** Reads figures of days: those that the job has stored, and what the ledger has got since. Always equal to the ledger. */
import { addDays, type Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db, type Sql } from '#db/database.ts';
import { countMovements, createCalendar } from './count-movements.ts';
import type { ReportRange } from './report-range.ts';

/** The movements of a kind: the type of the movement, with adjustments divided. */
export type Kind =
  | 'purchase'
  | 'available'
  | 'correction'
  | 'reversal'
  | 'exchange'
  | 'give_back'
  | 'usage'
  | 'undo'
  | 'reward'
  | 'added'
  | 'taken'
  | 'erased'
  | 'expiry';

export interface KindFigures {
  readonly movements: number;
  /** Signed, as they changed balances. */
  readonly points: number;
  readonly amount: number;
}

/** The movements of a period, by kind. Kinds that did not occur are left out. */
export type PeriodFigures = ReadonlyMap<Kind, KindFigures>;

export interface DayFigures {
  /** The sum of all changes before the range and the one before it. */
  readonly openingPoints: number;
  /** In the order of the range's periods. */
  readonly periods: readonly PeriodFigures[];
  readonly periodsBefore: readonly PeriodFigures[];
}

/**
 * Reads what happened in the periods of a range. Points that have expired, or that have become available, count on the day on which they
 * did, whether or not the job has written that.
 */
export async function readDayFigures(db: Db, commerce: Commerce, range: ReportRange): Promise<DayFigures> {
  const { id, today, now } = commerce;
  const { rows } = await sql<KindFigures & { period: number; kind: Kind }>`
    with ${ledgerSince(commerce, range)}, all_days as (
      select day, kind, movements, points, amount
        from report_days
       where commerce_id = ${id} and day <= ${range.to}::date and exists (select from progress)
       union all
      select coalesce(day, '-infinity'), kind, movements, points, amount
        from counted_days
       where day <= ${range.to}::date or day is null
       union all
      select expires_on, 'expiry', count(distinct member_id), -sum(points)::bigint, 0
        from balances
       where commerce_id = ${id} and expires_on < ${today}::date and expires_on <= ${range.to}::date and points > 0
       group by expires_on
       union all
      select a.day, 'available', count(*), sum(a.points)::bigint, 0
        from (select coalesce(c.days[width_bucket(p.due_at, c.begun)], '-infinity') as day, p.points
                from pending_points p, calendar c
               where p.commerce_id = ${id} and p.becomes = 'available' and p.due_at <= ${now}) a
       where a.day <= ${range.to}::date
       group by a.day
    )
    select width_bucket(day, ${firstDays(range)}::date[]) as period, kind, sum(movements)::bigint as movements,
           sum(points)::bigint as points, sum(amount)::bigint as amount
      from all_days
     group by 1, 2`.execute(db);
  const byPeriod = Map.groupBy(rows, ({ period }) => period);
  const figures = (period: number): PeriodFigures =>
    new Map(
      (byPeriod.get(period) ?? []).map(({ kind, movements, points, amount }) => [
        kind,
        { movements, points, amount },
      ]),
    );
  return {
    openingPoints: pointsOf(figures(0)),
    ...inOrder(range, (place) => figures(place + 1)),
  };
}

/** Returns by how much balances changed. */
export function pointsOf(figures: PeriodFigures): number {
  return figures.values().reduce((sum, { points }) => sum + points, 0);
}

/** Adds up the figures of periods. */
export function sumPeriods(periods: readonly PeriodFigures[]): PeriodFigures {
  const sums = new Map<Kind, KindFigures>();
  for (const [kind, { movements, points, amount }] of periods.flatMap((figures) => [...figures])) {
    const sum = sums.get(kind) ?? NOTHING;
    sums.set(kind, {
      movements: sum.movements + movements,
      points: sum.points + points,
      amount: sum.amount + amount,
    });
  }
  return sums;
}

export const NOTHING: KindFigures = { movements: 0, points: 0, amount: 0 };

/** How many people were active, and for how many of them it was the first time. */
export interface ActiveFigures {
  readonly active: number;
  readonly firstTime: number;
}

export interface ActivePeople {
  readonly total: ActiveFigures;
  readonly before: ActiveFigures;
  readonly periods: readonly ActiveFigures[];
  readonly periodsBefore: readonly ActiveFigures[];
}

/** Counts people who were active in the range and in its periods, in each of them once. */
export async function readActivePeople(
  db: Db,
  commerce: Commerce,
  range: ReportRange,
): Promise<ActivePeople> {
  const { id } = commerce;
  const from = range.before.from;
  const { rows } = await sql<ActiveFigures & { period: number | null; isBefore: boolean }>`
    with ${ledgerSince(commerce, range)}, days as materialized (
      select width_bucket(day, f.days) as period, day < ${range.from}::date as is_before, before, people,
             f.days[width_bucket(day, f.days)] as first_day
        from (select ${firstDays(range)}::date[] as days) f,
             (select day, before, people
                from report_active
               where commerce_id = ${id} and day between ${from}::date and ${range.to}::date and exists (select from progress)
               union all
              select day, before, people from counted_active where day between ${from}::date and ${range.to}::date) a
    )
    select period, is_before as "isBefore", coalesce(sum(people) filter (where before < first_day), 0)::bigint as active,
           coalesce(sum(people) filter (where before = '-infinity'), 0)::bigint as "firstTime"
      from days
     group by period, is_before
     union all
    select null, is_before,
           coalesce(sum(people) filter (where before < case when is_before then ${from}::date else ${range.from}::date end), 0)::bigint,
           coalesce(sum(people) filter (where before = '-infinity'), 0)::bigint
      from days
     group by is_before`.execute(db);
  const find = (isWanted: (row: (typeof rows)[number]) => boolean): ActiveFigures => {
    const { active, firstTime } = rows.find(isWanted) ?? { active: 0, firstTime: 0 };
    return { active, firstTime };
  };
  const byPeriod = new Map(rows.map((row) => [row.period, row]));
  return {
    total: find(({ period, isBefore }) => period === null && !isBefore),
    before: find(({ period, isBefore }) => period === null && isBefore),
    ...inOrder(range, (place) => {
      const { active, firstTime } = byPeriod.get(place + 1) ?? { active: 0, firstTime: 0 };
      return { active, firstTime };
    }),
  };
}

/** Returns the first days of all periods, those of the range before first. PostgreSQL numbers them from 1. */
export function firstDays({ periods, periodsBefore }: ReportRange): Day[] {
  return [...periodsBefore, ...periods].map(({ from }) => from);
}

/** Divides figures by period into those of the range and those of the one before it. `place` counts from 0 over both. */
export function inOrder<Figures>(
  { periods, periodsBefore }: ReportRange,
  figuresAt: (place: number) => Figures,
): { periods: Figures[]; periodsBefore: Figures[] } {
  return {
    periods: periods.map((_, i) => figuresAt(periodsBefore.length + i)),
    periodsBefore: periodsBefore.map((_, i) => figuresAt(i)),
  };
}

/**
 * Returns CTEs: `progress`, one row if figures are stored for the days of today's time zone, and those of `countMovements` for the
 * ledger since. One statement reads both, so it sees them as they were at one moment.
 */
function ledgerSince({ id, today, rules }: Commerce, { before, to }: ReportRange): Sql {
  const first = before.from < today ? before.from : today;
  const last = to < today ? to : today;
  // The next days have begun if midnight comes between two statements.
  const calendar = createCalendar(first, addDays(last < first ? first : last, 2), rules.timeZone);
  const after = sql`(select coalesce((select counted_to from progress), 0))`;
  return sql`progress as materialized (
      select counted_to from report_progress where commerce_id = ${id} and time_zone = ${rules.timeZone}
    ), ${countMovements({ commerceId: id, after }, calendar)}`;
}
