import { readCommerceUnder, type Commerce } from '#commerces/commerce.ts';
import type { Program } from '#program/program.ts';
import { rulesOf } from '#program/compile-rules.ts';
import type { Rules } from '#program/rules.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { canEarn } from '#members/eligibility.ts';
import { lockMembers } from '#members/lock-members.ts';
import { withLots, type LockedMember } from '#points/locked-member.ts';
import { storeMovements } from '#points/store-movements.ts';
import { giveTierBenefits, type TierReached } from '#rewards/give-tier-benefits.ts';
import { settle, standingAt, withValidity } from '#tiers/standing.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import { isDeepStrictEqual } from 'node:util';
import { isExpiryChanged, redatePoints } from './redate-points.ts';

const BATCH = 1_000;

/**
 * Moves every member from the rules of one program to those of the next: a new ladder lifts who meets its
 * thresholds and lowers nobody; a new expiry or another time zone dates the points that are held, none to expire sooner.
 */
export async function adjustMembers(
  tx: Tx,
  commerceId: number,
  before: Program,
  after: Program,
): Promise<void> {
  const tiersChanged = !isDeepStrictEqual(before.levels, after.levels);
  const commerce = await readCommerceUnder(tx, commerceId, after);
  if (commerce === undefined) throw new Error(`commerce ${commerceId} is gone`);
  const oldRules = rulesOf(before, commerce.rules.version - 1);
  const expiryChanged = isExpiryChanged(oldRules, commerce.rules);
  if (!tiersChanged && !expiryChanged) return;

  for (
    let ids = await nextMembers(tx, commerceId, 0);
    ids.length > 0;
    ids = await nextMembers(tx, commerceId, ids.at(-1)!)
  ) {
    const members = await lockMembers(
      tx,
      ids.map((id) => ({ commerceId, id })),
    );
    const locked = await withLots(tx, members);
    const redated = expiryChanged ? locked.map((member) => redatePoints(member, commerce, oldRules)) : locked;
    const adjusted = tiersChanged
      ? redated.map((member) => onNewLadder(member, commerce, oldRules))
      : redated.map(unmoved);
    const after = adjusted.map(({ member }) => member);
    await storeMovements(tx, after);
    await storeStandings(tx, members, after);
    await giveTierBenefits(
      tx,
      adjusted.flatMap(({ reached }) => reached),
    );
  }
}

interface Adjusted {
  readonly member: LockedMember;
  readonly reached: TierReached[];
}

function unmoved(member: LockedMember): Adjusted {
  return { member, reached: [] };
}

/**
 * Periods that ended before the change are settled by the rules of their time, those of people who have left or are
 * blocked too: else what became of them would depend on whether the job had run. These climb nothing.
 */
function onNewLadder(member: LockedMember, commerce: Commerce, oldRules: Rules): Adjusted {
  const { rules, now } = commerce;
  const settled = settle(member.standing, member.figures, oldRules.tiers, now, oldRules.timeZone);
  if (!canEarn(member)) return unmoved({ ...member, standing: settled });
  const { standing, reached } = standingAt({ ...member, standing: settled }, rules, now);
  const valid = withValidity(standing, rules.tiers, now, rules.timeZone);
  return {
    member: { ...member, standing: valid },
    reached: reached.map((rank) => ({ member, commerce, rank })),
  };
}

async function nextMembers(db: Db, commerceId: number, afterId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id
      from members
     where commerce_id = ${commerceId} and id > ${afterId}
     order by id
     limit ${BATCH}`.execute(db);
  return rows.map((row) => row.id);
}
