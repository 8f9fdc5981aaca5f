/**
 * Checks the days that depend on the instant of a movement: how long points are valid, and whether points were still
 * valid when they were spent.
 *
 * The service computes the local days, here too, because PostgreSQL has its own list of time zones, which may be of
 * another year. PostgreSQL gets the days of the commerce's zones with the instants at which they begin, and looks up a
 * movement's day. The service itself may learn late that a zone changes its clocks. So within an hour of midnight, the
 * day before and the day after both count as right.
 */
import { daysBegun, type DayBegun } from '#calendar/calendar.ts';
import { programField } from '#commerces/program-field.ts';
import { sql, type Db } from '#db/database.ts';
import type { Books, Check, Finding } from './check.ts';

export const dayChecks: readonly Check[] = [
  { invariant: 'points of a purchase are good until the day that its program gives', find: wrongDays },
  {
    invariant: 'points of an adjustment are good until the day that its program or staff gave',
    find: wrongDaysByHand,
  },
  { invariant: 'an exchange spends no points that have expired', find: expiredSpent },
  { invariant: 'the balance that a shop was told was right', find: wrongBalances },
];

/** The local days of a time zone that the commerce's program has or once had. */
export interface Calendar {
  readonly timeZone: string;
  readonly days: readonly DayBegun[];
}

/** Returns the calendars that date movements from one instant to another. */
export async function readCalendars(
  db: Db,
  commerceId: number,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<Calendar[]> {
  const { rows } = await sql<{ timeZone: string }>`
    select distinct program ->> 'time_zone' as "timeZone" from programs where commerce_id = ${commerceId}`.execute(
    db,
  );
  const [first, last] = [new Date(from.getTime() - MARGIN_MS), new Date(to.getTime() + MARGIN_MS)];
  return rows.map(({ timeZone }) => ({ timeZone, days: daysBegun(first, last, timeZone) }));
}

const MARGIN_MS = 3_600_000;

function wrongDays(commerceId: number, books: Books) {
  return sql<Finding>`
    with ${datedBy(commerceId, books)}
    select p.member_id as "memberId", p.id as "movementId",
           format('made on %s by version %s of the program, but its points are valid until %s', ${dayOf(sql`p.at`)},
                  p.snapshot ->> 'rule', p.split -> -1 ->> 0) as says
      from movements p
      left join dated r on r.version = (p.snapshot ->> 'rule')::int
     where p.commerce_id = ${commerceId} and p.type = 'purchase'
       and (not exists (
              select from jsonb_array_elements(p.split) as s(lot)
               where (s.lot ->> 2)::bigint > 0
                 and not case when s.lot ->> 0 = 'infinity' then true
                              when r.mode = 'rolling' then ${isMonthsLater}
                              when r.mode = 'accumulated'
                              then (s.lot ->> 0)::date >= ${dayOf(sql`p.at - interval '1 hour'`)} + r.months
                              else false end)) is not true`;
}

/** In `accumulated` mode they take the member's date, which was not over. */
function wrongDaysByHand(commerceId: number, books: Books) {
  return sql<Finding>`
    with ${datedBy(commerceId, books)}
    select p.member_id as "memberId", p.id as "movementId",
           format('made on %s by version %s of the program%s, but its points are valid until %s', ${dayOf(sql`p.at`)},
                  p.snapshot ->> 'rule', ' for ' || (p.snapshot ->> 'expiresOn'), p.split -> -1 ->> 0) as says
      from movements p
      left join dated r on r.version = (p.snapshot ->> 'rule')::int
     where p.commerce_id = ${commerceId} and p.type = 'adjustment' and p.points > 0
       and (not exists (
              select from jsonb_array_elements(p.split) as s(lot)
               where not case when s.lot ->> 0 = 'infinity' then true
                              when p.snapshot ? 'expiresOn'
                              then r.mode = 'rolling' and s.lot ->> 0 = p.snapshot ->> 'expiresOn'
                              when r.mode = 'rolling' then ${isMonthsLater}
                              when r.mode = 'accumulated'
                              then (s.lot ->> 0)::date >= ${dayOf(sql`p.at - interval '1 hour'`)}
                              else false end)) is not true`;
}

function expiredSpent(commerceId: number, books: Books) {
  return sql<Finding>`
    with ${datedBy(commerceId, books)}
    select m.member_id as "memberId", m.id as "movementId",
           format('made on %s, but it spends points that were valid until %s', ${dayOf(sql`m.at`)}, s.spent) as says
      from movements m
      join dated r on r.version = (m.snapshot ->> 'rule')::int
     cross join lateral (
           select min((s.lot ->> 0)::date) as spent
             from jsonb_array_elements(m.split) as s(lot)
            where (s.lot ->> 2)::bigint < 0) s
     where m.commerce_id = ${commerceId} and m.type = 'exchange'
       and s.spent < ${dayOf(sql`m.at - interval '1 hour'`)}`;
}

/**
 * The sum of all movements until then is the balance, except where points had expired and were not written off yet. Only
 * those few movements are added up by day. A member whose points do not agree at all is reported by another check.
 */
function wrongBalances(commerceId: number, books: Books) {
  return sql<Finding>`
    with ${datedBy(commerceId, books)}, doubtful as materialized (
      select *
        from (select member_id, id, at, snapshot, balance_after,
                     sum(points) over (partition by member_id order by id) as total,
                     sum(points) over (partition by member_id) as held
                from movements
               where commerce_id = ${commerceId}) m
       where balance_after <> total
         and held = (select coalesce(sum(b.points), 0)
                       from balances b
                      where b.commerce_id = ${commerceId} and b.member_id = m.member_id)
    )
    select p.member_id as "memberId", p.id as "movementId",
           format('the shop was told a balance of %s after it, but it was %s', p.balance_after, b.balance) as says
      from doubtful p
      left join dated r on r.version = coalesce(p.snapshot ->> 'version', p.snapshot ->> 'rule')::int
     cross join lateral (
           select coalesce(sum(points) filter (where expires_on >= ${dayOf(sql`p.at`)}), 0) as balance,
                  coalesce(sum(points) filter (where expires_on >= ${dayOf(sql`p.at - interval '1 hour'`)}), 0) as before,
                  coalesce(sum(points) filter (where expires_on >= ${dayOf(sql`p.at + interval '1 hour'`)}), 0) as later
             from (select (s.lot ->> 0)::date as expires_on, (s.lot ->> 2)::bigint as points
                     from movements m
                    cross join lateral jsonb_array_elements(m.split) as s(lot)
                    where m.commerce_id = ${commerceId} and m.member_id = p.member_id and m.id <= p.id) l) b
     where p.balance_after not in (b.balance, b.before, b.later)`;
}

type Fragment = ReturnType<typeof sql>;

/** Whether the day of a row `s.lot` of a movement `p` is the day of the movement, some months later. */
const isMonthsLater = sql`((s.lot ->> 0)::date = ${dayOf(sql`p.at`)} + r.months
                                or (s.lot ->> 0)::date = ${dayOf(sql`p.at - interval '1 hour'`)} + r.months
                                or (s.lot ->> 0)::date = ${dayOf(sql`p.at + interval '1 hour'`)} + r.months)`;

/** Returns the local day of an instant, by the calendar of a row `r` of `dated`. */
function dayOf(at: Fragment): Fragment {
  return sql`r.days[width_bucket(${at}, r.begun)]`;
}

/** Returns a CTE `dated`: how each version of the program dates points, with the calendar of its time zone. */
function datedBy(commerceId: number, { calendars }: Books): Fragment {
  const rows = calendars.flatMap(({ timeZone, days }) => days.map((begun) => ({ timeZone, ...begun })));
  return sql`calendars as materialized (
      select time_zone, array_agg(at order by at) as begun, array_agg(day order by at) as days
        from unnest(${rows.map((row) => row.timeZone)}::text[], ${rows.map((row) => row.at)}::timestamptz[],
                    ${rows.map((row) => row.day)}::date[]) as c(time_zone, at, day)
       group by time_zone
    ), dated as materialized (
      select p.version, ${programField('points_expiration', 'mode')} #>> '{}' as mode,
             make_interval(months => coalesce((${programField('points_expiration', 'months')} #>> '{}')::int, 0)) as months,
             begun, days
        from programs p
        join calendars on time_zone = p.program ->> 'time_zone'
       where p.commerce_id = ${commerceId}
    )`;
}
