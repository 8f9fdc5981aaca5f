/**
 * How movements become figures of a day: the one rule, which the job stores and a read adds for what is not stored yet.
 */
import { addDays, startOfDay, type Day } from '#calendar/calendar.ts';
import { sql, type Sql } from '#db/database.ts';

/** Days in order, with the instant at which each begins. Days on which nothing happened may be missing. */
export interface Calendar {
  readonly days: readonly Day[];
  readonly begun: readonly Date[];
}

/**
 * Returns the calendar of these days. A day is all from its first instant to that of the next, 23 to 25 hours: a day never begins
 * twice, and a day that the zone skipped has nothing.
 */
export function createCalendar(from: Day, to: Day, timeZone: string): Calendar {
  const days: Day[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return createCalendarOf(days, timeZone);
}

/** Returns the calendar of these days only. An event on a missing day would count on the day before it. */
export function createCalendarOf(days: Iterable<Day>, timeZone: string): Calendar {
  const inOrder = [...new Set(days)].sort();
  return { days: inOrder, begun: inOrder.map((day) => startOfDay(day, timeZone)) };
}

/** The movements of a commerce after one id, up to another. Ids are ours, so they are written into the text. */
export interface Stretch {
  readonly commerceId: number;
  readonly after: number | Sql;
  /** Without it, all that can be seen. */
  readonly upTo?: number;
}

/** Acts of a person, and not things that are done to their points. */
const ACTS = `('purchase', 'exchange', 'usage')`;

/** The kind of a row of `movements m`: its type, with adjustments divided. */
export const kindOfMovement = sql.raw(`case when m.type <> 'adjustment' then m.type
                when m.snapshot ? 'erased' then 'erased'
                when m.points < 0 then 'taken' else 'added' end`);

/**
 * Returns CTEs that count a stretch of the ledger. `counted_days` has the figures by day and kind, `counted_active` the changes of the
 * people by day and the day before it on which they were active, with `-infinity` for never. Days before the calendar are all `null` in the
 * first and the day before the calendar in the second: a reader of some days needs no others.
 *
 * Somebody new on a day takes their next day over: that one now follows the new day. The days that are counted already are looked up in the
 * ledger itself, by the index of a member's history, so nothing else has to be kept about a person. Each look-up has an order and a limit:
 * without them the planner may read the whole ledger. The rows that they find are materialized, so that no sort carries the calendar.
 */
export function countMovements(
  { commerceId, after, upTo = Number.MAX_SAFE_INTEGER }: Stretch,
  calendar: Calendar,
): Sql {
  const id = sql.lit(commerceId);
  const counted = typeof after === 'number' ? sql.lit(after) : after;
  // The first condition spares all look-ups if nothing is counted yet.
  const actsOf = sql`${counted} > 0 and o.commerce_id = ${id} and o.member_id = n.member_id and o.id <= ${counted}
             and o.type in ${sql.raw(ACTS)} and o.type not in ('expiry', 'redate')`;
  return sql`calendar as materialized (
      select ${calendar.days}::date[] as days, ${calendar.begun}::timestamptz[] as begun
    ), counting as materialized (
      select m.member_id, m.type, ${kindOfMovement} as kind, m.points, m.amount, width_bucket(m.at, c.begun) as place
        from movements m, calendar c
       where m.commerce_id = ${id} and m.id > ${counted} and m.id <= ${sql.lit(upTo)} and m.type <> 'redate'
    ), counted_days as (
      select c.days[place] as day, kind, count(*) as movements, sum(points)::bigint as points,
             coalesce(sum(amount), 0)::bigint as amount
        from counting, calendar c
       group by 1, 2
    ), neighbours as materialized (
      select n.member_id, n.place, width_bucket(last.at, c.begun) as earlier, width_bucket(next.at, c.begun) as later
        from (select distinct member_id, place from counting where type in ${sql.raw(ACTS)}) n
       cross join calendar c
        left join lateral (
             select o.at from movements o
              where ${actsOf} and o.at < coalesce(c.begun[n.place + 1], 'infinity')
              order by o.at desc, o.id desc limit 1) last on true
        left join lateral (
             select o.at from movements o
              where ${actsOf} and o.at >= coalesce(c.begun[n.place + 1], 'infinity')
              order by o.at, o.id limit 1) next on true
    ), chains as (
      select *, greatest(earlier, lag(place) over days) as previous,
             later is not null and coalesce(lead(place) over days > later, true) as takes_over
        from neighbours
       where earlier is distinct from place
      window days as (partition by member_id order by place)
    ), counted_active as (
      select c.days[d.place] as day,
             case when d.previous is null then '-infinity' else coalesce(c.days[d.previous], c.days[1] - 1) end as before,
             sum(d.people)::bigint as people
        from (select place, previous, 1 as people from chains
              union all
              select later, place, 1 from chains where takes_over
              union all
              select later, earlier, -1 from chains where takes_over) d, calendar c
       where d.place > 0
       group by 1, 2
    )`;
}
