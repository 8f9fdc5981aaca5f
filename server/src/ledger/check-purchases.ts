/** What a movement of each type may change, and until when the points of a purchase are good. */
import { sql } from '#db/database.ts';
import type { Check, Finding } from './check.ts';

export const purchaseChecks: readonly Check[] = [
  { invariant: 'points of a purchase are good until the day of its program', find: purchasesOffProgram },
  { invariant: 'a movement changes only what its type may', find: wrongKinds },
];

/**
 * The day until which a purchase's points are good is that of its program's version, give or take one: the database
 * and the service each bring a list of time zones, and not always of the same year.
 */
function purchasesOffProgram(commerceId: number) {
  return sql<Finding>`
    with rules as materialized (
      select version, program ->> 'time_zone' as time_zone, program #>> '{points_expiration,mode}' as mode,
             make_interval(months => coalesce((program #>> '{points_expiration,months}')::int, 0)) as months
        from programs
       where commerce_id = ${commerceId}
    )
    select p.member_id as "memberId", p.id as "movementId",
           format('made at %s by version %s of the program: its expiry day is not that version''s',
                  p.at, p.snapshot ->> 'rule') as says
      from movements p
      left join rules r on r.version = (p.snapshot ->> 'rule')::int
     where p.commerce_id = ${commerceId} and p.type = 'purchase'
       and (r.version is not null
            and not exists (
                  select from jsonb_array_elements(p.split) as s(lot)
                   where (s.lot ->> 2)::bigint > 0
                     and not case when s.lot ->> 0 = 'infinity' then true
                                  when r.mode = 'rolling'
                                  then (s.lot ->> 0)::date between (p.at at time zone r.time_zone)::date - 1 + r.months
                                                               and (p.at at time zone r.time_zone)::date + 1 + r.months
                                  when r.mode = 'accumulated'
                                  then (s.lot ->> 0)::date >= (p.at at time zone r.time_zone)::date - 1 + r.months
                                  else false end)) is not true`;
}

function wrongKinds(commerceId: number) {
  return sql<Finding>`
    select member_id as "memberId", id as "movementId",
           format('a %s with %s points, %s earned, amount %s, purchases %s', type, points, points_earned,
                  coalesce(amount::text, 'none'), purchases) as says
      from movements
     where commerce_id = ${commerceId} and type not in ('purchase', 'reversal')
       and (amount is null and purchases = 0
            and case type when 'reward' then points >= 0 and points_earned = points
                          when 'adjustment' then true
                          when 'exchange' then points <= 0 and points_earned = 0
                          when 'give_back' then points >= 0 and points_earned = 0
                          when 'expiry' then points < 0 and points_earned = 0
                          else points = 0 and points_earned = 0 end) is not true`;
}
