/** Checks vouchers against the movements that sold, used or gave them back. */
import { sql, type Sql } from '#db/database.ts';
import type { Check, Finding } from './check.ts';

export const voucherChecks: readonly Check[] = [
  { invariant: 'what was bought was paid once, at its cost', find: wrongExchanges },
  { invariant: 'what was sold is what was issued, within its limit', find: wrongLimits },
  { invariant: 'a code is used as the ledger says, once at most', find: wrongUses },
  { invariant: 'what was given back is paid back once', find: wrongReturns },
  { invariant: "a tier's code is void where a return took the tier away, and only there", find: wrongVoids },
  { invariant: 'a full card has its code, which is void where the card was taken back', find: wrongCards },
];

function wrongExchanges(commerceId: Sql) {
  return sql<Finding>`
    with paid as (${byCode(commerceId, 'exchange')}),
    issued as (select * from vouchers where commerce_id = ${commerceId} and source = 'exchange')
    select coalesce(p.member_id, v.member_id) as "memberId", p.id as "movementId",
           format('code %s: issued %s times for %s points, paid %s times, %s points', coalesce(v.code, p.voucher_code),
                  (v.code is not null)::int, coalesce(v.cost, 0), coalesce(p.times, 0), coalesce(-p.points, 0)) as says
      from paid p
      full join issued v on v.code = p.voucher_code
     where (p.times = 1 and p.member_id = v.member_id and p.points = -v.cost and p.at = v.issued_at
            and (p.snapshot ->> 'cost')::bigint = v.cost and p.snapshot ->> 'benefit' = v.benefit_id) is not true`;
}

function wrongLimits(commerceId: Sql) {
  return sql<Finding>`
    select null::bigint as "memberId", null::bigint as "movementId",
           format('%s: %s are counted as sold, %s were issued, the limit is %s', b.id, b.sold, coalesce(v.issued, 0), b.buy_limit) as says
      from benefits b
      left join (select benefit_id, count(*) as issued
                   from vouchers
                  where commerce_id = ${commerceId} and source = 'exchange' and given_back_at is null
                  group by benefit_id) v on v.benefit_id = b.id
     where b.commerce_id = ${commerceId}
       and (b.sold <> coalesce(v.issued, 0) or b.buy_limit > 0 and b.sold > b.buy_limit)`;
}

function wrongUses(commerceId: Sql) {
  return sql<Finding>`
    with acts as (
      select id, member_id, type, at, voucher_code, lag(type) over code as before, lead(type) over code is null as is_last
        from movements
       where commerce_id = ${commerceId} and type in ('usage', 'undo')
      window code as (partition by voucher_code order by id)
    ), uses as (
      select * from acts where type = 'usage' and is_last
    ),
    used as (select * from vouchers where commerce_id = ${commerceId} and used_at is not null)
    select coalesce(u.member_id, v.member_id) as "memberId", u.id as "movementId",
           format('code %s: %s, but the ledger has %s of it', coalesce(v.code, u.voucher_code),
                  case when v.code is null then 'not used' else 'used at ' || v.used_at end,
                  case when u.id is null then 'no use' else 'another use' end) as says
      from uses u
      full join used v on v.code = u.voucher_code
     where (u.member_id = v.member_id and u.at = v.used_at) is not true
    union all
    select member_id, id, format('code %s: %s after %s', voucher_code, type, coalesce(before, 'nothing'))
      from acts
     where (type = 'undo') <> (before is not distinct from 'usage')
    union all
    select coalesce(u.member_id, r.member_id), coalesce(u.id, r.undo_id),
           format('code %s: the undo of its use is not that of the redemption %s', coalesce(u.voucher_code, r.code), coalesce(r.external_id, '?'))
      from (select m.*, (m.snapshot ->> 'use')::bigint as use_id from movements m where m.commerce_id = ${commerceId} and m.type = 'undo') u
      full join (select * from redemptions where commerce_id = ${commerceId} and undo_id is not null) r on r.undo_id = u.id
     where (u.voucher_code = r.code and u.use_id = r.use_id and u.at = r.undone_at and u.member_id = r.member_id) is not true
    union all
    select r.member_id, r.use_id, format('the redemption %s of code %s is not the use of the ledger', r.external_id, r.code)
      from redemptions r
      join movements m on m.commerce_id = r.commerce_id and m.id = r.use_id
     where r.commerce_id = ${commerceId}
       and (m.type = 'usage' and m.voucher_code = r.code and m.member_id = r.member_id and m.at = r.used_at) is not true`;
}

function wrongReturns(commerceId: Sql) {
  return sql<Finding>`
    with returns as (${byCode(commerceId, 'give_back')}),
    returned as (select * from vouchers v
                  where commerce_id = ${commerceId} and given_back_at is not null and source not in ('level', 'stamps')
                    and not exists (${erasedThen(commerceId)}))
    select coalesce(r.member_id, v.member_id) as "memberId", r.id as "movementId",
           format('code %s: %s, but the ledger pays back %s points in %s movements', coalesce(v.code, r.voucher_code),
                  case when v.code is null then 'not given back' else 'given back, it had cost ' || v.cost end,
                  coalesce(r.points, 0), coalesce(r.times, 0)) as says
      from returns r
      full join returned v on v.code = r.voucher_code
     where (r.times = 1 and r.member_id = v.member_id and r.points = v.cost and v.source = 'exchange') is not true`;
}

/**
 * A return names the tiers that it took away. Their codes are void from then on, unless they were used before. All unused codes
 * of a person become void when the person is erased.
 */
function wrongVoids(commerceId: Sql) {
  return sql<Finding>`
    with lost as (
      select r.id, r.member_id, r.at, t.lost ->> 'tierId' as tier_id, (t.lost ->> 'reachedAt')::timestamptz as reached_at
        from movements r
       cross join lateral jsonb_array_elements(r.snapshot -> 'lost') as t(lost)
       where r.commerce_id = ${commerceId} and r.type = 'reversal'
    ), gifts as (
      select * from vouchers where commerce_id = ${commerceId} and source = 'level'
    )
    select g.member_id as "memberId", null::bigint as "movementId",
           format('code %s is void since %s, but no return took its tier away then', g.code, g.given_back_at) as says
      from gifts g
     where g.given_back_at is not null
       and not exists (${erasedThen(commerceId, 'g')})
       and not exists (select from lost l
                        where l.member_id = g.member_id and l.tier_id = g.tier_id and l.at = g.given_back_at)
    union all
    select g.member_id, l.id, format('it took the tier %s away, but code %s of its benefit is still valid', l.tier_id, g.code)
      from lost l
      join gifts g on g.member_id = l.member_id and g.tier_id = l.tier_id
     where g.issued_at >= l.reached_at and g.issued_at < l.at and g.used_at is null and g.given_back_at is null`;
}

function wrongCards(commerceId: Sql) {
  return sql<Finding>`
    with issued as (select * from vouchers where commerce_id = ${commerceId} and source = 'stamps'),
    filled as (select * from full_cards where commerce_id = ${commerceId} and code is not null)
    select coalesce(f.member_id, v.member_id) as "memberId", f.purchase_id as "movementId",
           format('code %s: %s, and %s', coalesce(v.code, f.code),
                  case when v.code is null then 'not issued' when v.given_back_at is null then 'good or used' else 'void' end,
                  case when f.code is null then 'no full card has it' when f.taken_at is null then 'the card is full'
                       else 'the card was taken back' end) as says
      from filled f
      full join issued v on v.code = f.code
     where (v.member_id = f.member_id and v.benefit_id = f.benefit_id and v.given_back_at is not distinct from f.taken_at) is not true
       and not exists (select from members e
                        where e.commerce_id = ${commerceId} and e.id = v.member_id and e.erased_at is not null)`;
}

/** Returns, for each code, the last movement of a type that names it, and their number. */
function byCode(commerceId: Sql, type: 'exchange' | 'give_back') {
  return sql`
    select distinct on (voucher_code) *, count(*) over (partition by voucher_code) as times
      from movements
     where commerce_id = ${commerceId} and type = ${type}
     order by voucher_code, id desc`;
}

/** Selects the member of a voucher if they were erased at the moment at which the code became void. */
function erasedThen(commerceId: Sql, voucher: 'v' | 'g' = 'v') {
  const v = sql.raw(voucher);
  return sql`select from members e
                                     where e.commerce_id = ${commerceId} and e.id = ${v}.member_id and e.erased_at = ${v}.given_back_at`;
}
