import { addDays, startOfDay } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';
import { firstDays, inOrder, readActivePeople, type ActiveFigures } from './read-figures.ts';
import type { ReportRange } from './report-range.ts';
import { createReport, type Report } from './report.ts';

export interface MembersFigures {
  readonly joined: number;
  readonly left: number;
  readonly active: number;
  readonly first_time: number;
  readonly members: number;
}

/** Counts the people who joined, left and were active, and the members at the end of each period. */
export async function readMembersReport(
  db: Db,
  commerce: Commerce,
  range: ReportRange,
): Promise<Report<MembersFigures>> {
  const people = await readActivePeople(db, commerce, range);
  const { opening, counts } = await countJoined(db, commerce, range);
  let members = opening;
  const figures = (active: readonly ActiveFigures[], joined: readonly Joined[]): MembersFigures[] =>
    active.map(({ active, firstTime }, i) => {
      const { joined: came, left } = joined[i]!;
      members += came - left;
      return { joined: came, left, active, first_time: firstTime, members };
    });
  const periodsBefore = figures(people.periodsBefore, counts.periodsBefore);
  const periods = figures(people.periods, counts.periods);
  return createReport(commerce, range, {
    total: totalOf(periods, people.total),
    before: totalOf(periodsBefore, people.before),
    periods,
    periodsBefore,
  });
}

function totalOf(periods: readonly MembersFigures[], { active, firstTime }: ActiveFigures): MembersFigures {
  const sum = (of: 'joined' | 'left') => periods.reduce((total, figures) => total + figures[of], 0);
  return {
    joined: sum('joined'),
    left: sum('left'),
    active,
    first_time: firstTime,
    members: periods.at(-1)!.members,
  };
}

export interface Joined {
  readonly joined: number;
  readonly left: number;
}

/** Counts who joined and left in each period, and who was a member before them all. Anyone who came back has not left. */
export async function countJoined(
  db: Db,
  { id, rules }: Commerce,
  range: ReportRange,
): Promise<{ opening: number; counts: { periods: Joined[]; periodsBefore: Joined[] } }> {
  const starts = firstDays(range).map((day) => startOfDay(day, rules.timeZone));
  const end = startOfDay(addDays(range.to, 1), rules.timeZone);
  const { rows } = await sql<{ period: number; joined: number; left: number }>`-- count-joined
    select period, sum(joined)::bigint as joined, sum("left")::bigint as "left"
      from (select width_bucket(m.enrolled_at, ${starts}::timestamptz[]) as period, count(*) as joined, 0::bigint as "left"
              from members m
             where m.commerce_id = ${id} and m.enrolled_at < ${end}
             group by 1
             union all
            select width_bucket(m.left_at, ${starts}::timestamptz[]), 0, count(*)
              from members m
             where m.commerce_id = ${id} and m.left_at < ${end} and m.enrolled_at is not null
             group by 1) p
     group by period`.execute(db);
  const byPeriod = new Map(rows.map((row) => [row.period, row]));
  const at = (period: number): Joined => {
    const { joined, left } = byPeriod.get(period) ?? { joined: 0, left: 0 };
    return { joined, left };
  };
  const { joined, left } = at(0);
  return { opening: joined - left, counts: inOrder(range, (place) => at(place + 1)) };
}
