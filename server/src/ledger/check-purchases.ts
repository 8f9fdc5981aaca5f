/**
 * Points of purchases and returns, computed anew from what the ledger stored with each: the second implementation of
 * the formula, in SQL and exact decimals.
 */
import { sql, type Sql } from '#db/database.ts';
import type { Check, Finding } from './check.ts';

export const purchaseChecks: readonly Check[] = [
  { invariant: 'a purchase earned what its rule gives', find: wrongPurchases },
  { invariant: 'a purchase followed the program of its version', find: purchasesOffProgram },
  { invariant: 'a return took back what its purchase earned', find: wrongReturns },
  { invariant: 'a movement changes only what its type may', find: wrongKinds },
];

function wrongPurchases(commerceId: number) {
  return sql<Finding>`
    select member_id as "memberId", id as "movementId",
           format('%s spent earns %s (%s of the money alone), and it has %s, %s on the balance, %s kept as of the money alone',
                  amount, earned, base, points_earned, points, snapshot ->> 'base') as says
      from (select m.*, ${pointsOf(sql`m.amount`, sql`m.snapshot`)} as earned, ${baseOf(sql`m.amount`, sql`m.snapshot`)} as base
              from movements m
             where m.commerce_id = ${commerceId} and m.type = 'purchase') p
     where (amount > 0 and purchases = 1 and points_earned = earned and points = earned
            and (snapshot ->> 'base')::numeric = base) is not true`;
}

/** The rule that a purchase stored is that of its program's version. */
function purchasesOffProgram(commerceId: number) {
  return sql<Finding>`
    with rules as materialized (
      select version, round((program #>> '{earning,money_per_point}')::numeric * 1000) as money_per_point,
             array(select round((t.tier ->> 'points_multiplier')::numeric * 1000)
                     from jsonb_array_elements(program #> '{levels,ladder}') with ordinality as t(tier, rank)
                    order by t.rank) as multipliers,
             (select coalesce(range_agg(tstzrange((w ->> 'from')::timestamptz, (w ->> 'to')::timestamptz)), '{}')
                from jsonb_array_elements(program #> '{earning,double_points}') as w) as windows
        from programs
       where commerce_id = ${commerceId}
    )
    select p.member_id as "memberId", p.id as "movementId",
           format('made at %s by version %s of the program: money per point, double points or multiplier is not that version''s',
                  p.at, p.snapshot ->> 'rule') as says
      from movements p
      left join rules r on r.version = (p.snapshot ->> 'rule')::int
     where p.commerce_id = ${commerceId} and p.type = 'purchase'
       and ((p.snapshot ->> 'moneyPerPoint')::numeric = r.money_per_point
            and (p.snapshot ->> 'double')::boolean = (p.at <@ r.windows)
            and ((p.snapshot ->> 'multiplier')::numeric = 1000
                 or (p.snapshot ->> 'multiplier')::numeric
                    = r.multipliers[least((p.snapshot ->> 'tier')::int, cardinality(r.multipliers))])) is not true`;
}

/** Pieces add up to the whole: after each return the purchase has earned what its rule gives for what is kept. */
function wrongReturns(commerceId: number) {
  return sql<Finding>`
    with returned as (
      select r.*, p.snapshot as rule, p.type as of_type, p.member_id as of_member,
             p.amount + sum(r.amount) over pieces as kept,
             p.points_earned + sum(r.points_earned) over pieces as earned,
             (select coalesce(sum((f.lot ->> 2)::bigint), 0)
                from jsonb_array_elements(r.snapshot -> 'forgiven') as f(lot)) as forgiven
        from movements r
        left join movements p on p.commerce_id = r.commerce_id and p.id = r.reverses_id
       where r.commerce_id = ${commerceId} and r.type = 'reversal'
      window pieces as (partition by r.reverses_id order by r.id)
    )
    select member_id as "memberId", id as "movementId",
           format('it leaves %s of purchase %s, which would have earned %s; left are %s, %s on the balance', kept, reverses_id,
                  ${pointsOf(sql`kept`, sql`rule`)}, earned, points) as says
      from returned
     where (of_type = 'purchase' and of_member = member_id and amount < 0 and kept >= 0
            and earned = ${pointsOf(sql`kept`, sql`rule`)}
            and purchases = case when kept = 0 then -1 else 0 end
            and case when snapshot ->> 'policy' = 'clamp' then points between points_earned + forgiven and 0
                     else points = points_earned + forgiven end) is not true`;
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

function baseOf(amount: Sql, rule: Sql): Sql {
  return sql`div(${amount} * 1000::numeric, nullif((${rule} ->> 'moneyPerPoint')::numeric, 0))`;
}

function pointsOf(amount: Sql, rule: Sql): Sql {
  return sql`div(${baseOf(amount, rule)} * case when (${rule} ->> 'double')::boolean then 2 else 1 end
                 * (${rule} ->> 'multiplier')::numeric, 1000)`;
}
