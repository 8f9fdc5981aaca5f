/** Checks that nothing is left of erased people but their row in the books, and that a block has what belongs to it. */
import { sql, type Sql } from '#db/database.ts';
import type { Books, Check, Finding } from './check.ts';

export const peopleChecks: readonly Check[] = [
  { invariant: 'nothing personal is left of who was erased', find: namesOfErased },
  { invariant: 'who was erased holds neither points nor codes', find: holdingsOfErased },
  { invariant: 'a reason of a block belongs to a block', find: strayReasons },
];

function namesOfErased(commerceId: Sql) {
  return sql<Finding>`
    with erased as (
      select * from members where commerce_id = ${commerceId} and erased_at is not null
    ), left_over as (
      select id, 'a ' || field.name as what
        from erased e
       cross join lateral (values ('address', e.email), ('name', e.username), ('telephone number', e.phone),
                                  ('birth date', e.birth_date::text), ('reason of a block', e.block_reason),
                                  ('account', e.user_id::text), ('remainder of money', e.remainder::text)) as field(name, value)
       where field.value is not null
      union all
      select e.id, 'a note of staff' from erased e join movement_notes n on n.commerce_id = ${commerceId} and n.member_id = e.id
      union all
      -- People without a name have one row, whose word comes after all others.
      select e.id, 'a word of the name'
        from erased e
        join member_words w on w.commerce_id = ${commerceId} and w.member_id = e.id and w.word <> U&'\\+10FFFF'
      union all
      select e.id, 'a pass in Apple Wallet'
        from erased e
        join wallet_passes p on p.commerce_id = ${commerceId} and p.member_id = e.id and p.kind = 'apple'
    )
    select id as "memberId", null::bigint as "movementId", format('erased, but %s is left', what) as says from left_over`;
}

function holdingsOfErased(commerceId: Sql, { today }: Books) {
  return sql<Finding>`
    with erased as (
      select m.id, m.state, program_now(c.clock_offset) as now
        from members m
        join commerces c on c.id = m.commerce_id
       where m.commerce_id = ${commerceId} and m.erased_at is not null
    )
    select e.id as "memberId", null::bigint as "movementId", format('erased, but holds %s points until %s', b.points, b.expires_on) as says
      from erased e
      join balances b on b.commerce_id = ${commerceId} and b.member_id = e.id and b.expires_on >= ${today}
    union all
    select e.id, null, format('erased, but code %s can be used', v.code)
      from erased e
      join vouchers v on v.commerce_id = ${commerceId} and v.member_id = e.id
                     and v.used_at is null and v.given_back_at is null and (v.due_at is null or v.due_at >= e.now)
    union all
    select e.id, null, 'erased, but still a member' from erased e where e.state = 'member'`;
}

function strayReasons(commerceId: Sql) {
  return sql<Finding>`
    select id as "memberId", null::bigint as "movementId", 'not blocked, but there is a reason of a block' as says
      from members
     where commerce_id = ${commerceId} and block_reason is not null and blocked_at is null`;
}
