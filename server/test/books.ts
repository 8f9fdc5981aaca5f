import assert from 'node:assert/strict';
import { sql, type Database } from '#db/database.ts';

/** Fails unless everything that is kept beside the ledger is what the ledger adds up to, commerce by commerce. */
export async function assertBooksAgree(db: Database, commerceId: number): Promise<void> {
  const { rows: balances } = await sql`
    with told as (
      select m.member_id, (s.day ->> 0)::date as expires_on, (s.day ->> 1)::boolean as moving, sum((s.day ->> 2)::bigint) as points
        from movements m cross join jsonb_array_elements(m.split) as s(day)
       where m.commerce_id = ${commerceId}
       group by 1, 2, 3
      having sum((s.day ->> 2)::bigint) <> 0
    )
    select * from told full join (select * from balances where commerce_id = ${commerceId}) b
     using (member_id, expires_on, moving)
     where told.points is distinct from b.points`.execute(db);
  assert.deepEqual(balances, [], 'points by day are the sum of the movements');

  const { rows: figures } = await sql`
    select m.id
      from members m
      left join (select member_id, sum(points_earned) as earned, sum(amount) as amount, sum(purchases) as purchases
                   from movements where commerce_id = ${commerceId} group by member_id) l on l.member_id = m.id
     where m.commerce_id = ${commerceId}
       and (m.points_earned, m.amount_spent, m.purchases)
           is distinct from (coalesce(l.earned, 0), coalesce(l.amount, 0), coalesce(l.purchases, 0))`.execute(
    db,
  );
  assert.deepEqual(figures, [], 'lifetime figures are the sum of the movements');

  const { rows: splits } = await sql`
    select m.id
      from movements m
     where m.commerce_id = ${commerceId}
       and m.points <> (select coalesce(sum((s.day ->> 2)::bigint), 0) from jsonb_array_elements(m.split) as s(day))`.execute(
    db,
  );
  assert.deepEqual(splits, [], 'a movement is the sum of its days');

  const { rows: overdrawn } = await sql`
    select id
      from (select id, type, sum(points) over (partition by member_id order by id) as balance
              from movements where commerce_id = ${commerceId}) m
     where balance < 0 and type = 'exchange'`.execute(db);
  assert.deepEqual(overdrawn, [], 'no exchange leaves a balance below zero');

  const { rows: sold } = await sql`
    select b.id
      from benefits b
     where b.commerce_id = ${commerceId}
       and (b.sold <> (select count(*) from vouchers v
                        where v.commerce_id = b.commerce_id and v.benefit_id = b.id
                          and v.source = 'exchange' and v.given_back_at is null)
            or b.buy_limit > 0 and b.sold > b.buy_limit)`.execute(db);
  assert.deepEqual(sold, [], 'what was sold is what was issued, within its limit');

  const { rows: used } = await sql`
    select v.code
      from vouchers v
     where v.commerce_id = ${commerceId}
       and (v.used_at is not null)::int <> (select count(*) from movements m
             where m.commerce_id = v.commerce_id and m.member_id = v.member_id and m.type = 'usage' and m.voucher_code = v.code)`.execute(
    db,
  );
  assert.deepEqual(used, [], 'a code is used as often as the ledger says, once at most');
}
