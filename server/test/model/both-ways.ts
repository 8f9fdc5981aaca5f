/** Runs a program twice, with its purchases together and one by one, and compares the resulting books. */
import assert from 'node:assert/strict';
import { sql, type Database } from '#db/database.ts';
import type { RandomProgram } from './programs.ts';
import { runProgram } from './run-program.ts';
import { atOnce, oneByOne, type Buy } from './till.ts';

/** The results of the purchases in one of the two runs. */
export interface Recorded {
  readonly commerceId: number;
  readonly purchases: number;
  readonly transactions: number;
  /** Transactions with several purchases of one person. */
  readonly repeating: number;
  /** Those that were recorded while nobody was told so before they were repeated. */
  readonly untold: number;
}

/**
 * The second commerce repeats the sales of the first one by one, in the order in which the first recorded them. Both must
 * have exactly the same books, whatever the model says.
 */
export async function runBothWays(
  db: Database,
  program: RandomProgram,
  { together, alone, order = 'recorded' }: { together: Buy; alone: Buy; order?: MovementOrder },
): Promise<{ together: Recorded; alone: Recorded }> {
  const one = await runProgram(db, atOnce(together), program);
  const other = await runProgram(db, oneByOne(alone), one.asRecorded);
  assert.deepEqual(
    await booksOf(db, other.commerceId, order),
    await booksOf(db, one.commerceId, order),
    'one by one as together',
  );
  return { together: await recordedBy(db, one), alone: await recordedBy(db, other) };
}

/** By instant only beside a service of its own, which runs jobs by itself: there an expiry may be recorded at any time. */
type MovementOrder = 'recorded' | 'by instant';

/**
 * Returns everybody's figures, tier, points, vouchers and movements. Ids, codes and instants differ and are left out. Erased
 * people have no name, so what they hold is their order.
 */
async function booksOf(db: Database, commerceId: number, order: MovementOrder): Promise<unknown[]> {
  const { rows } = await sql`-- model-books
    select split_part(m.email, '-', 1) as person, m.state, m.points_earned, m.amount_spent, m.purchases, m.moved_on,
           m.tier_id, m.tier_period_from, m.tier_expires_on, m.tier_expired, m.tier_reached_at is not null as tier_reached,
           m.tier_pinned, m.tier_beneath,
           m.tier_period_base_points, m.tier_period_base_amount, m.tier_climb_base_points, m.tier_climb_base_amount,
           (select jsonb_agg(jsonb_build_array(b.expires_on, b.moving, b.points) order by b.expires_on, b.moving)
              from balances b where b.commerce_id = m.commerce_id and b.member_id = m.id) as points,
           (select jsonb_agg(voucher order by voucher)
              from (select jsonb_build_array(benefit_id, source, tier_id, cost, used_at is null, given_back_at is null) as voucher
                      from vouchers where commerce_id = m.commerce_id and member_id = m.id) as v) as vouchers,
           (select jsonb_agg(to_jsonb(v) - '{commerce_id,member_id,id,at,recorded_at,reverses_id,voucher_code}'::text[]
                                         #- '{snapshot,climbed}' #- '{snapshot,lost}' #- '{snapshot,use}' order by ${sql.raw(order === 'recorded' ? 'v.id' : 'v.at, v.id')})
              from movements v where v.commerce_id = m.commerce_id and v.member_id = m.id) as movements
      from members m
     where m.commerce_id = ${commerceId}
     order by person, points_earned, movements`.execute(db);
  return rows;
}

/** Every row shows which transaction wrote it. */
async function recordedBy(
  db: Database,
  { commerceId, untold }: { commerceId: number; untold: number },
): Promise<Recorded> {
  const { rows } = await sql<{ purchases: number; transactions: number; repeating: number }>`
    select coalesce(sum(purchases), 0)::int as purchases, count(*) as transactions,
           count(*) filter (where people < purchases) as repeating
      from (select count(*) as purchases, count(distinct member_id) as people
              from movements
             where commerce_id = ${commerceId} and type = 'purchase'
             group by xmin::text) as transaction`.execute(db);
  return { commerceId, untold, ...rows[0]! };
}
