/** Counts things that must never be had twice, by statements that share nothing with the service or `ledger verify`. */
import { sql, type Database } from '../../server/src/platform/db/database.ts';

export interface Scarce {
  /** Exchanges after which the member had fewer than 0 points. */
  readonly overdrafts: number;
  /** Benefits that were sold more often than their limit allows. */
  readonly overLimit: number;
  /** Codes that were burned more than once. */
  readonly burnedTwice: number;
}

export async function countScarce(db: Database): Promise<Scarce> {
  const { rows } = await sql<Scarce>`
    with running as (
      select type, sum(points) over (partition by commerce_id, member_id order by id) as balance from movements
    ), sold as (
      select commerce_id, benefit_id, count(*) as vouchers
        from vouchers
       where source = 'exchange' and given_back_at is null
       group by commerce_id, benefit_id
    ), burned as (
      select from movements where type = 'usage' group by commerce_id, voucher_code having count(*) > 1
    )
    select (select count(*) from running where type = 'exchange' and balance < 0)::int as overdrafts,
           (select count(*)
              from sold s
              join benefits b on b.commerce_id = s.commerce_id and b.id = s.benefit_id
             where b.buy_limit > 0 and s.vouchers > b.buy_limit)::int as "overLimit",
           (select count(*) from burned)::int as "burnedTwice"`.execute(db);
  return rows[0]!;
}
