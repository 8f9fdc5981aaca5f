import { addDays, startOfDay } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Db } from '#db/database.ts';

/** The last purchases say what is usual. One of them, however large, does not change it. */
const LAST_PURCHASES = 200;
const ENOUGH_PURCHASES = 20;
const TIMES_USUAL = 10;
/** A shop without purchases says by the price of its points how large its amounts are. */
const POINTS_AT_ONCE = 2_000;

/**
 * Returns the amount above which a till asks once before it records: ten times what nineteen of twenty of the shop's last
 * 200 purchases stay below.
 */
export async function readUnusualAmount(db: Db, { id, rules }: Commerce): Promise<number> {
  const { rows } = await sql<{ usual: number | null; purchases: number }>`-- read-usual-amount
    select percentile_disc(0.95) within group (order by amount) as usual, count(*) as purchases
      from (select amount from movements
             where commerce_id = ${id} and type = 'purchase'
             order by at desc, id desc
             limit ${LAST_PURCHASES}) last`.execute(db);
  const { usual, purchases } = rows[0]!;
  const { moneyPerPointThousandths, maxAmount } = rules.earning;
  const unusual =
    usual !== null && purchases >= ENOUGH_PURCHASES
      ? usual * TIMES_USUAL
      : Math.ceil((POINTS_AT_ONCE * moneyPerPointThousandths) / 1000);
  return Math.min(unusual, maxAmount);
}

export interface UnusualPurchase {
  readonly purchaseId: number;
  readonly memberId: number;
  readonly at: Date;
  readonly amount: number;
}

const MOST_SHOWN = 3;

/** Returns the largest purchases above the unusual amount of the last days of which more than that is left. */
export async function readUnusualPurchases(
  db: Db,
  commerce: Commerce,
  days: number,
): Promise<UnusualPurchase[]> {
  const above = await readUnusualAmount(db, commerce);
  const since = startOfDay(addDays(commerce.today, -days), commerce.rules.timeZone);
  const { rows } = await sql<UnusualPurchase>`-- read-unusual-purchases
    select p.id as "purchaseId", p.member_id as "memberId", p.at, p.amount
      from movements p
     where p.commerce_id = ${commerce.id} and p.type = 'purchase' and p.at >= ${since} and p.amount > ${above}
       and p.amount + coalesce((select sum(r.amount) from movements r
                                 where r.commerce_id = p.commerce_id and r.reverses_id = p.id), 0) > ${above}
     order by p.amount desc, p.id
     limit ${MOST_SHOWN}`.execute(db);
  return rows;
}
