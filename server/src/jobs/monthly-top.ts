import { addDays, addMonths, startOfDay, type Day } from '#calendar/calendar.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { programField } from '#commerces/program-field.ts';
import { takeJobTurn } from '#commerces/import-turn.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { isActive, isActiveRow } from '#members/eligibility.ts';
import { lockMember } from '#members/lock-members.ts';
import { handOut } from '#rewards/hand-out.ts';
import type { Job } from './job.ts';

/**
 * Rewards the member who bought the most in the last month whose returns have had time to come in, once for each
 * commerce and month. What counts is what was bought in the month less what of it was returned since; ties go to
 * who reached the total first, then to more purchases, then to the lower code.
 */
export const monthlyTop: Job = { due, run };

async function due(database: Database): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id
      from commerces c
      join programs p on p.commerce_id = c.id and p.version = c.program_version
     where c.status <> 'closed' and ${programField('rewards', 'monthly_top')} <> 'null'
     order by c.id`.execute(database);
  return rows.map((row) => row.id);
}

/** The first day of the latest month that is to be rewarded by `today`, `settleDays` after its end. */
export function monthToReward(today: Day, settleDays: number): Day {
  const settled = addDays(today, -settleDays);
  return addMonths(`${settled.slice(0, 7)}-01`, -1);
}

function run(database: Database, commerceId: number): Promise<number> {
  return transaction(database, (tx) => rewardTop(tx, commerceId));
}

/** The turn comes first and is held until the reward is written, so no import changes who has bought the most. */
async function rewardTop(tx: Tx, commerceId: number): Promise<number> {
  if (!(await takeJobTurn(tx, commerceId))) return 0;
  const { rules, today } = (await readCommerce(tx, commerceId))!;
  const reward = rules.rewards.monthlyTop;
  if (reward === null) return 0;
  const first = monthToReward(today, reward.settleDays);
  const month = first.slice(0, 7);
  if (await wasRewarded(tx, commerceId, month)) return 0;
  const from = startOfDay(first, rules.timeZone);
  const to = startOfDay(addMonths(first, 1), rules.timeZone);
  const top = await findTop(tx, commerceId, from, to);
  if (top === undefined) return 0;
  const member = await lockMember(tx, { commerceId, id: top });
  const commerce = await readCommerce(tx, commerceId);
  // Who has left in this very moment is passed over by the next run.
  if (member === undefined || !isActive(member)) return 0;
  return handOut(tx, [member], commerce!, reward, 'monthly_top', () => month);
}

async function wasRewarded(db: Db, commerceId: number, month: string): Promise<boolean> {
  const { rows } = await sql`-- was-month-rewarded
    select 1 from rewards where commerce_id = ${commerceId} and event = 'monthly_top' and period = ${month}`.execute(
    db,
  );
  return rows.length > 0;
}

async function findTop(db: Db, commerceId: number, from: Date, to: Date): Promise<number | undefined> {
  const { rows } = await sql<{ memberId: number }>`-- find-monthly-top
    with bought as (
      select p.id, p.member_id, p.at, p.amount
        from movements p
       where p.commerce_id = ${commerceId} and p.at >= ${from} and p.at < ${to} and p.type = 'purchase'
    ), returned as (
      select r.reverses_id, sum(r.amount) as amount
        from movements r
       where r.commerce_id = ${commerceId} and r.reverses_id in (select id from bought)
       group by r.reverses_id
    ), kept as (
      select b.member_id, b.at, b.amount + coalesce(r.amount, 0) as amount
        from bought b
        left join returned r on r.reverses_id = b.id
    )
    select k.member_id as "memberId"
      from kept k
      join members m on m.commerce_id = ${commerceId} and m.id = k.member_id
     where k.amount > 0 and ${isActiveRow}
     group by k.member_id, m.code
     order by sum(k.amount) desc, max(k.at), count(*) desc, m.code
     limit 1`.execute(db);
  return rows[0]?.memberId;
}
