import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { sql, type Database, type Db, type Tx } from '#db/database.ts';
import { canEarn } from '#members/eligibility.ts';
import type { Member } from '#members/member.ts';
import { giveTierBenefits } from '#rewards/give-tier-benefits.ts';
import { settle, standingAt } from '#tiers/standing.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import type { Job, RunOptions } from './job.ts';
import { openClocks } from './open-clocks.ts';
import { settleEnded, type Ended } from './settle-ended.ts';

/**
 * Writes down which tiers were renewed, moved down or expired at the end of their period. Whoever reads or buys has
 * seen it since that instant.
 */
export const expireTiers: Job = { due, run };

async function due(database: Database): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with clocks as materialized (${openClocks})
    select c.id
      from clocks c
     where exists (select from members m
                    where m.commerce_id = c.id and m.tier_expires_on < c.latest_day
                      and not m.tier_expired and not m.tier_pinned)
     order by c.id`.execute(database);
  return rows.map((row) => row.id);
}

function run(database: Database, commerceId: number, options?: RunOptions): Promise<number> {
  return settleEnded(database, commerceId, { next: nextTiers, settle: settleTiers }, options);
}

async function settleTiers(tx: Tx, commerceId: number, members: readonly Member[]): Promise<number> {
  const commerce = (await readCommerce(tx, commerceId))!;
  const settled = members.map((member) => settledMember(member, commerce));
  const after = settled.map(({ member }) => member);
  await storeStandings(tx, members, after);
  await giveTierBenefits(
    tx,
    settled.flatMap(({ member, reached }) => reached.map((rank) => ({ member, commerce, rank }))),
  );
  return after.filter((member, i) => member.standing !== members[i]!.standing).length;
}

/** Who has left or is blocked is settled as they are read, and climbs nothing. */
function settledMember(
  member: Member,
  { rules, now }: Commerce,
): { member: Member; reached: readonly number[] } {
  if (!canEarn(member)) {
    const standing = settle(member.standing, member.figures, rules.tiers, now, rules.timeZone);
    return { member: { ...member, standing }, reached: [] };
  }
  const { standing, reached } = standingAt(member, rules, now);
  return { member: { ...member, standing }, reached };
}

async function nextTiers(db: Db, commerceId: number, after: Ended, limit: number): Promise<Ended[]> {
  const commerce = await readCommerce(db, commerceId);
  if (commerce!.rules.tiers.validMonths === null) return [];
  const { rows } = await sql<Ended>`-- next-ended-tiers
    select tier_expires_on as "expiresOn", id as "memberId"
      from members
     where commerce_id = ${commerceId} and tier_expires_on < ${commerce!.today}::date
       and tier_expires_on is not null and not tier_expired and not tier_pinned
       and (tier_expires_on, id) > (${after.expiresOn}::date, ${after.memberId}::bigint)
     order by tier_expires_on, id
     limit ${limit}`.execute(db);
  return rows;
}
