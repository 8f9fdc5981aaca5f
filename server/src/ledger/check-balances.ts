/** Adds up points by day and lifetime figures from the ledger again, and compares them with the stored ones. */
import { sql } from '#db/database.ts';
import type { Books, Check, Finding } from './check.ts';

export const balanceChecks: readonly Check[] = [
  { invariant: 'points by day are the sum of the movements', find: wrongDays },
  { invariant: 'lifetime figures are the sum of the movements', find: wrongFigures },
  { invariant: 'figures of a member are within what can be counted', find: uncountable },
  { invariant: 'a movement is the sum of its days', find: wrongSplits },
  { invariant: 'no day ever held less than nothing', find: daysBelowZero },
  { invariant: 'a balance falls below zero by a return only', find: overdrafts },
];

/** Names the movement if it alone explains the difference: it was added or altered. */
function wrongDays(commerceId: number) {
  return sql<Finding>`
    with told as (
      select m.member_id, (s.lot ->> 0)::date as expires_on, (s.lot ->> 1)::boolean as moving,
             sum((s.lot ->> 2)::bigint) as points
        from movements m
       cross join lateral jsonb_array_elements(m.split) as s(lot)
       where m.commerce_id = ${commerceId}
       group by 1, 2, 3
    ), wrong as (
      select member_id, expires_on, moving, coalesce(told.points, 0) as told, coalesce(held.points, 0) as held
        from told
        full join (select * from balances where commerce_id = ${commerceId}) held using (member_id, expires_on, moving)
       where coalesce(told.points, 0) <> coalesce(held.points, 0)
       limit 1000
    )
    select w.member_id as "memberId", extra.id as "movementId",
           format('%s points are stored for %s%s, but the movements add up to %s%s', w.held, w.expires_on,
                  case when w.moving then ' (moving)' end, w.told,
                  case when extra.id is not null then ': perhaps this one was added'
                       when w.held > w.told then ': perhaps a movement that added points is missing'
                       else ': perhaps a movement that took points is missing' end) as says
      from wrong w
      left join lateral (
           select max(m.id) as id
             from movements m
            where m.commerce_id = ${commerceId} and m.member_id = w.member_id and m.type not in ('expiry', 'redate')
              and m.split @> jsonb_build_array(jsonb_build_array(w.expires_on::text, w.moving, w.told - w.held))) extra on true`;
}

function wrongFigures(commerceId: number) {
  return sql<Finding>`
    with told as (
      select member_id, sum(points_earned) as points, sum(amount) as amount, sum(purchases) as purchases
        from movements
       where commerce_id = ${commerceId}
       group by member_id
    ), wrong as (
      select m.*, coalesce(t.points, 0) as told_points, coalesce(t.amount, 0) as told_amount,
             coalesce(t.purchases, 0) as told_purchases
        from members m
        left join told t on t.member_id = m.id
       where m.commerce_id = ${commerceId}
         and (m.points_earned, m.amount_spent, m.purchases)
             is distinct from (coalesce(t.points, 0), coalesce(t.amount, 0), coalesce(t.purchases, 0))
       limit 1000
    )
    select w.id as "memberId", extra.id as "movementId",
           format('%s points earned, %s spent in %s purchases are stored, but the movements add up to %s, %s in %s%s',
                  w.points_earned, w.amount_spent, w.purchases, w.told_points, w.told_amount, w.told_purchases,
                  case when extra.id is not null then ': perhaps this one was added'
                       when w.purchases > w.told_purchases then ': perhaps purchases are missing' end) as says
      from wrong w
      left join lateral (
           select max(m.id) as id
             from movements m
            where m.commerce_id = ${commerceId} and m.member_id = w.id and m.type not in ('expiry', 'redate')
              and (m.points_earned, coalesce(m.amount, 0), m.purchases)
                  = (w.told_points - w.points_earned, w.told_amount - w.amount_spent, w.told_purchases - w.purchases)) extra
        on true`;
}

/** Numbers are exact up to 2^53 − 1. Larger figures, written by an earlier release, are shown rounded. */
function uncountable(commerceId: number, { today }: Books) {
  const most = Number.MAX_SAFE_INTEGER;
  return sql<Finding>`
    with held as (
      select member_id, sum(points) filter (where expires_on >= ${today}::date) as balance, max(abs(points)) as largest
        from balances
       where commerce_id = ${commerceId}
       group by member_id
    )
    select m.id as "memberId", null::bigint as "movementId",
           format('%s points earned, %s spent in %s purchases, a balance of %s: nothing more can be recorded',
                  m.points_earned, m.amount_spent, m.purchases, coalesce(h.balance, 0)) as says
      from members m
      left join held h on h.member_id = m.id
     where m.commerce_id = ${commerceId}
       and greatest(abs(m.points_earned), abs(m.amount_spent), abs(m.purchases), abs(h.balance), h.largest) > ${most}::bigint`;
}

function wrongSplits(commerceId: number) {
  return sql<Finding>`
    select m.member_id as "memberId", m.id as "movementId",
           format('it has %s points, but its days add up to %s', m.points, s.points) as says
      from movements m
     cross join lateral (
           select coalesce(sum((s.lot ->> 2)::bigint), 0) as points from jsonb_array_elements(m.split) as s(lot)) s
     where m.commerce_id = ${commerceId} and m.points <> s.points`;
}

/** Finds the first movement of each member that took points which were never there. Only a debt may be below zero. */
function daysBelowZero(commerceId: number) {
  return sql<Finding>`
    select distinct on (member_id) member_id as "memberId", id as "movementId",
           format('it leaves %s points on %s', points, expires_on) as says
      from (select m.member_id, m.id, (s.lot ->> 0)::date as expires_on,
                   sum((s.lot ->> 2)::bigint)
                     over (partition by m.member_id, (s.lot ->> 0)::date, (s.lot ->> 1)::boolean order by m.id) as points
              from movements m
             cross join lateral jsonb_array_elements(m.split) as s(lot)
             where m.commerce_id = ${commerceId}) d
     where points < 0 and expires_on <> 'infinity'
     order by member_id, id`;
}

function overdrafts(commerceId: number) {
  return sql<Finding>`
    select distinct on (member_id) member_id as "memberId", id as "movementId",
           format('this %s leaves a balance of %s', type, balance) as says
      from (select member_id, id, type, sum(points) over moments as balance,
                   count(*) filter (where type = 'reversal') over moments as reversals
              from movements
             where commerce_id = ${commerceId}
            window moments as (partition by member_id order by id)) m
     where balance < 0 and (reversals = 0 or type = 'exchange')
     order by member_id, id`;
}
