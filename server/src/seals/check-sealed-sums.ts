import { sql, type Db } from '#db/database.ts';
import type { SealFinding } from './check-seals.ts';

const INVARIANT = 'the sums of sealed movements are those of the movements';

/**
 * Compares the sums that were sealed for each member with the movements, at many commerces in one pass: a pass for each would read
 * the whole ledger each time, because the movements of all commerces lie among one another. Returns at most `limit` findings.
 */
export async function checkSealedSums(
  db: Db,
  commerceIds: readonly number[],
  limit = 1_000,
): Promise<ReadonlyMap<number, SealFinding[]>> {
  const { rows } = await sql<
    Omit<SealFinding, 'invariant' | 'movementId'> & { commerceId: number }
  >`-- check-sealed-sums
    with counted as (
      select m.commerce_id, m.member_id, count(*) as movements, sum(m.points) as points, sum(m.points_earned) as points_earned,
             coalesce(sum(m.amount), 0) as amount, sum(m.purchases) as purchases
        from movements m
        join seal_logs l on l.commerce_id = m.commerce_id and m.id <= l.through_id
       where m.commerce_id = any(${commerceIds}::bigint[])
       group by m.commerce_id, m.member_id
    ), sealed as (
      select * from seal_members where commerce_id = any(${commerceIds}::bigint[])
    ), newest as (
      select distinct on (commerce_id) *
        from seals
       where commerce_id = any(${commerceIds}::bigint[])
       order by commerce_id, size desc
    )
    (select coalesce(c.commerce_id, s.commerce_id) as "commerceId", coalesce(c.member_id, s.member_id) as "memberId",
            format('%s movements with %s points are there, %s with %s were sealed', coalesce(c.movements, 0), coalesce(c.points, 0),
                   coalesce(s.movements, 0), coalesce(s.points, 0)) as says
       from counted c
       full join sealed s on s.commerce_id = c.commerce_id and s.member_id = c.member_id
      where (c.movements, c.points, c.points_earned, c.amount, c.purchases)
            is distinct from (s.movements, s.points, s.points_earned, s.amount, s.purchases)
      limit ${limit})
     union all
    select n.commerce_id, null, 'the sums of the newest seal are not those of the members'
      from newest n
      left join (select commerce_id, sum(movements) as size, sum(points) as points, sum(points_earned) as points_earned,
                        sum(amount) as amount, sum(purchases) as purchases
                   from sealed
                  group by commerce_id) t on t.commerce_id = n.commerce_id
     where (n.size, n.points, n.points_earned, n.amount, n.purchases)
           is distinct from (t.size, t.points, t.points_earned, t.amount, t.purchases)`.execute(db);
  const findings = rows.map(({ commerceId, memberId, says }) => ({
    commerceId,
    finding: { invariant: INVARIANT, memberId, movementId: null, says },
  }));
  return new Map(
    [...Map.groupBy(findings, ({ commerceId }) => commerceId)].map(([commerceId, found]) => [
      commerceId,
      found.map(({ finding }) => finding),
    ]),
  );
}
