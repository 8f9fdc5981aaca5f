/** Counts the figures of reports from the movements again, and compares them with the stored ones. */
import { sql, type Sql } from '#db/database.ts';
import type { Books, Check, Finding } from './check.ts';

export const reportChecks: readonly Check[] = [
  { invariant: 'the figures of a day are the sum of its movements', find: wrongDays },
  { invariant: 'the people of a day are those of its movements', find: wrongPeople },
];

function wrongDays(commerceId: number, books: Books) {
  return sql<Finding>`
    with ${counted(commerceId, books)}, told as (
      select day, kind, count(*) as movements, sum(points) as points, coalesce(sum(amount), 0) as amount
        from counted
       group by day, kind
    ), held as (
      select d.*
        from report_days d
       where d.commerce_id = ${commerceId} and exists (select from calendar)
    )
    select null::bigint as "memberId", null::bigint as "movementId",
           format('%s of kind %s on %s: %s with %s points and an amount of %s are stored, but the movements add up to %s with %s and %s; run loyalty reports rebuild',
                  'movements', kind, day, coalesce(h.movements, 0), coalesce(h.points, 0), coalesce(h.amount, 0),
                  coalesce(t.movements, 0), coalesce(t.points, 0), coalesce(t.amount, 0)) as says
      from told t
      full join held h using (day, kind)
     where (coalesce(h.movements, 0), coalesce(h.points, 0), coalesce(h.amount, 0))
           <> (coalesce(t.movements, 0), coalesce(t.points, 0), coalesce(t.amount, 0))`;
}

function wrongPeople(commerceId: number, books: Books) {
  return sql<Finding>`
    with ${counted(commerceId, books)}, days as (
      select member_id, day, lag(day) over (partition by member_id order by day) as before
        from (select distinct member_id, day from counted where kind in ('purchase', 'exchange', 'usage')) d
    ), told as (
      select day, coalesce(before, '-infinity') as before, count(*) as people from days group by 1, 2
    ), held as (
      select a.*
        from report_active a
       where a.commerce_id = ${commerceId} and exists (select from calendar)
    )
    select null::bigint as "memberId", null::bigint as "movementId",
           format('%s people who were active on %s and before that on %s are stored, but the movements tell of %s; run loyalty reports rebuild',
                  coalesce(h.people, 0), day, before, coalesce(t.people, 0)) as says
      from told t
      full join held h using (day, before)
     where coalesce(h.people, 0) <> coalesce(t.people, 0)`;
}

/**
 * The movements that the job has counted, each with its day and its kind. None if the job has counted by the days of another time
 * zone: it will begin anew, and reads do not use its figures.
 */
function counted(commerceId: number, { calendars }: Books): Sql {
  const rows = calendars.flatMap(({ timeZone, days }) => days.map((begun) => ({ timeZone, ...begun })));
  return sql`calendar as materialized (
      select p.counted_to, array_agg(at order by at) as begun, array_agg(day order by at) as days
        from report_progress p
        join commerces c on c.id = p.commerce_id and c.time_zone = p.time_zone
        join unnest(${rows.map((row) => row.timeZone)}::text[], ${rows.map((row) => row.at)}::timestamptz[],
                    ${rows.map((row) => row.day)}::date[]) as d(time_zone, at, day) on d.time_zone = p.time_zone
       where p.commerce_id = ${commerceId}
       group by p.counted_to
    ), counted as (
      select m.member_id, c.days[width_bucket(m.at, c.begun)] as day, m.points, m.amount,
             case when m.type <> 'adjustment' then m.type
                  when m.snapshot ? 'erased' then 'erased'
                  when m.points >= 0 then 'added' else 'taken' end as kind
        from movements m
       cross join calendar c
       where m.commerce_id = ${commerceId} and m.id <= c.counted_to and m.type <> 'redate'
    )`;
}
