/** Checks the other records beside the movements: idempotency keys, external ids, rewards and the list of members. */
import { sql, type Sql } from '#db/database.ts';
import type { Check, Finding } from './check.ts';

export const recordChecks: readonly Check[] = [
  { invariant: 'an idempotency key points at what its call made', find: danglingKeys },
  { invariant: 'two idempotency keys never made one thing', find: sharedResults },
  { invariant: 'an order has the purchase of its buyer, under its id', find: wrongOrders },
  { invariant: 'a reward was handed out as often as it is noted', find: wrongRewards },
  { invariant: 'a tier that is held is one of the program in force', find: unknownTiers },
  { invariant: 'the list of members is dense, and its total right', find: wrongList },
];

function danglingKeys(commerceId: Sql) {
  return sql<Finding>`
    select null::bigint as "memberId", k.result as "movementId",
           format('key %s of %s points at %s, which does not exist', k.key, k.operation, coalesce(k.result::text, 'nothing')) as says
      from idempotency_keys k
     where k.commerce_id = ${commerceId}
       and not case
             when k.operation in ('purchase', 'import', 'reversal', 'adjustment')
             then exists (select from movements m
                           where m.commerce_id = k.commerce_id and m.id = k.result
                             and m.type = case when k.operation in ('reversal', 'adjustment') then k.operation else 'purchase' end)
             when k.operation = 'redeem' or k.operation like 'exchange/%'
             then exists (select from vouchers v
                           where v.commerce_id = k.commerce_id and v.code = k.result
                             and (k.operation <> 'redeem' or v.used_at is not null
                                  or exists (select from redemptions r
                                              where r.commerce_id = v.commerce_id and r.code = v.code and r.undo_id is not null)))
             when k.operation = 'redemption'
             then exists (select from redemptions r
                           where r.commerce_id = k.commerce_id and r.code = k.result and k.key = r.code || '/' || r.external_id)
             else k.result is not null end`;
}

/**
 * Two idempotency keys may name one purchase, or one use of a code, if it has an external id: both calls had that id. A purchase has
 * one external id at most. A code that was used again after its use was undone has an id for each use.
 */
function sharedResults(commerceId: Sql) {
  return sql<Finding>`
    select null::bigint as "memberId", k.result as "movementId",
           format('%s keys of %s point at %s', count(*), min(k.operation), k.result) as says
      from idempotency_keys k
     where k.commerce_id = ${commerceId}
     group by split_part(k.operation, '/', 1), k.result
    having count(*) > 1
       and not (min(k.operation) = 'purchase'
                and exists (select from idempotency_keys o
                             where o.commerce_id = ${commerceId} and o.result = k.result
                               and o.operation = 'import' and o.key like 'id/%'))
       and not (min(k.operation) in ('redeem', 'redemption')
                and exists (select from redemptions r where r.commerce_id = ${commerceId} and r.code = k.result))`;
}

function wrongOrders(commerceId: Sql) {
  return sql<Finding>`
    select o.member_id as "memberId", o.purchase_id as "movementId",
           format('order %s has %s, which is no purchase of its buyer with its id', o.external_id, o.purchase_id) as says
      from orders o
     where o.commerce_id = ${commerceId} and o.purchase_id is not null
       and not exists (select from movements m
                         join idempotency_keys k on k.commerce_id = m.commerce_id and k.result = m.id
                                                and k.operation = 'import' and k.key = 'id/' || o.external_id
                        where m.commerce_id = o.commerce_id and m.id = o.purchase_id
                          and m.member_id = o.member_id and m.type = 'purchase')`;
}

function wrongRewards(commerceId: Sql) {
  return sql<Finding>`
    with handed as (
      select member_id, event, count(*) as times, max(movement_id) as movement_id
        from (select member_id, event, id as movement_id
                from movements
               where commerce_id = ${commerceId} and type = 'reward'
               union all
              select member_id, source, null
                from vouchers
               where commerce_id = ${commerceId} and source not in ('exchange', 'stamps')
                 and (given_back_at is null
                      or exists (select from members e
                                  where e.commerce_id = ${commerceId} and e.id = member_id and e.erased_at = given_back_at))) h
       group by member_id, event
    ), noted as (
      select member_id, event, count(*) as times from rewards where commerce_id = ${commerceId} group by member_id, event
    )
    select coalesce(h.member_id, n.member_id) as "memberId", h.movement_id as "movementId",
           format('%s was given %s times but recorded %s times', coalesce(h.event, n.event, 'a reward without event'),
                  coalesce(h.times, 0), coalesce(n.times, 0)) as says
      from handed h
      full join noted n on n.member_id = h.member_id and n.event = h.event
     where h.times is distinct from n.times`;
}

function unknownTiers(commerceId: Sql) {
  return sql<Finding>`
    select m.id as "memberId", null::bigint as "movementId", format('holds %s, which is not a tier of the program', t.tier_id) as says
      from members m
     cross join lateral (
           select m.tier_id
            union
           select m.tier_beneath where m.tier_pinned) as t
     where m.commerce_id = ${commerceId} and t.tier_id is not null
       and t.tier_id <> all (select t.tier ->> 'id'
                               from commerces c
                               join programs p on p.commerce_id = c.id and p.version = c.program_version
                              cross join lateral jsonb_array_elements(p.program #> '{levels,ladder}') as t(tier)
                              where c.id = ${commerceId})`;
}

function wrongList(commerceId: Sql) {
  return sql<Finding>`
    select null::bigint as "memberId", null::bigint as "movementId",
           format('%s members have enrolled, the last at place %s, but the total is %s', l.enrolled, l.last, l.total) as says
      from (select count(m.ordinal) as enrolled, coalesce(max(m.ordinal), 0) as last,
                   coalesce((select total from enrolments where commerce_id = ${commerceId}), 0) as total
              from members m
             where m.commerce_id = ${commerceId}) l
     where l.enrolled <> l.last or l.enrolled <> l.total`;
}
