import { readCommerce } from '#commerces/commerce.ts';
import { commercesWithRows } from '#db/cluster/commerces-with-rows.ts';
import { sql, type Database, type Db, type Tx } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import { giveTierBenefits } from '#rewards/give-tier-benefits.ts';
import { standingAt } from '#tiers/standing.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import type { Job, RunOptions } from './job.ts';
import { latestDay } from './latest-day.ts';
import { settleEnded, type Ended } from './settle-ended.ts';

/**
 * Writes down which tiers were renewed, moved down or expired at the end of their period. Anyone who reads or buys has seen it since that
 * instant.
 */
export const expireTiers: Job = { due, run };

/** The condition of the index `members_tier_due`: the tier of anyone who has left or is blocked stands still. */
export const periodRuns = sql.raw(`m.tier_expires_on is not null and not m.tier_expired and not m.tier_pinned
                      and m.state <> 'left' and m.blocked_at is null`);

async function due(database: Database): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id
      from ${commercesWithRows}
     where c.status <> 'closed'
       and exists (select from members m
                    where m.commerce_id = p.commerce_id and m.tier_expires_on < ${latestDay} and ${periodRuns})
     order by c.id`.execute(database);
  return rows.map((row) => row.id);
}

function run(database: Database, commerceId: number, options?: RunOptions): Promise<number> {
  return settleEnded(database, commerceId, { next: nextTiers, settle: settleTiers }, options);
}

async function settleTiers(tx: Tx, commerceId: number, members: readonly Member[]): Promise<number> {
  const commerce = (await readCommerce(tx, commerceId))!;
  const settled = members.map((member) => {
    const { standing, reached } = standingAt(member, commerce.rules, commerce.now);
    return { member: { ...member, standing }, reached };
  });
  const after = settled.map(({ member }) => member);
  await storeStandings(tx, members, after, () => commerce);
  await giveTierBenefits(
    tx,
    settled.flatMap(({ member, reached }) => reached.map((tierId) => ({ member, commerce, tierId }))),
  );
  return after.filter((member, i) => member.standing !== members[i]!.standing).length;
}

async function nextTiers(db: Db, commerceId: number, after: Ended, limit: number): Promise<Ended[]> {
  const commerce = await readCommerce(db, commerceId);
  if (commerce!.rules.tiers.validMonths === null) return [];
  const { rows } = await sql<Ended>`-- next-ended-tiers
    select m.tier_expires_on as "expiresOn", m.id as "memberId"
      from members m
     where m.commerce_id = ${commerceId} and m.tier_expires_on < ${commerce!.today}::date and ${periodRuns}
       and (m.tier_expires_on, m.id) > (${after.expiresOn}::date, ${after.memberId}::bigint)
     order by m.tier_expires_on, m.id
     limit ${limit}`.execute(db);
  return rows;
}
