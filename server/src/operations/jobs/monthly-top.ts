import { addMonths, startOfDay, type Day } from '#calendar/calendar.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { programField } from '#commerces/program-field.ts';
import { takeJobTurn } from '#commerces/import-turn.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { isActive, isActiveRow } from '#members/eligibility.ts';
import { isDatabaseAway } from '#db/database-errors.ts';
import { lockMember } from '#members/lock-members.ts';
import { handOut } from '#rewards/hand-out.ts';
import { PartlyFailed, type Broken, type Job, type RunOptions } from './job.ts';
import { monthOf, monthsToReward, settleMonths } from './months-to-reward.ts';

/**
 * Rewards the member who spent the most in a month, after a few days for returns, once for each commerce and month.
 * Months that no job rewarded are rewarded later, oldest first. The total is the month's purchases minus what was
 * returned of them since. In a tie, the winner is the member who reached the total first, then the one with more
 * purchases, then the one with the lower code.
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

async function run(database: Database, commerceId: number, { signal }: RunOptions = {}): Promise<number> {
  const commerce = (await readCommerce(database, commerceId))!;
  const { months, latest } = await monthsToReward(database, commerce);
  const settled: Day[] = [];
  const broken: Broken[] = [];
  let rewarded = 0;
  for (const first of months) {
    if (signal?.aborted === true) break;
    const winner: { id: number | null } = { id: null };
    try {
      const outcome = await transaction(database, (tx) => rewardMonth(tx, commerceId, first, winner));
      if (outcome === 'not now') continue;
      if (outcome === 'rewarded') rewarded++;
      if (outcome === 'rewarded' || first < latest) settled.push(first);
    } catch (error) {
      broken.push({ memberId: winner.id, error });
      if (isDatabaseAway(error)) break;
    }
  }
  await settleMonths(database, commerceId, months, settled);
  if (broken.length > 0) throw new PartlyFailed(rewarded, broken);
  return rewarded;
}

/**
 * Takes the job's turn first and keeps it until the reward is stored, so that no import changes who spent the most.
 * @param winner receives the member's id, so that the caller can report it if this fails
 */
async function rewardMonth(
  tx: Tx,
  commerceId: number,
  first: Day,
  winner: { id: number | null },
): Promise<'rewarded' | 'nobody' | 'not now'> {
  if (!(await takeJobTurn(tx, commerceId))) return 'not now';
  const { rules } = (await readCommerce(tx, commerceId))!;
  const from = startOfDay(first, rules.timeZone);
  const to = startOfDay(addMonths(first, 1), rules.timeZone);
  const top = await findTop(tx, commerceId, from, to);
  if (top === undefined) return 'nobody';
  winner.id = top;
  const member = await lockMember(tx, { commerceId, id: top });
  const commerce = (await readCommerce(tx, commerceId))!;
  const reward = commerce.rules.rewards.monthlyTop;
  // A member who is leaving at this moment is skipped by the next run.
  if (reward === null || member === undefined || !isActive(member)) return 'not now';
  const handed = await handOut(tx, [member], commerce, reward, 'monthly_top', () => monthOf(first));
  return handed === 1 ? 'rewarded' : 'nobody';
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
