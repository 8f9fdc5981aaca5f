import { readCommerceUnder, type Commerce } from '#commerces/commerce.ts';
import type { Program } from '#program/program.ts';
import { rulesOf } from '#program/compile-rules.ts';
import type { Rules } from '#program/rules.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { lockMembers } from '#members/lock-members.ts';
import { withLots, type LockedMember } from '#points/locked-member.ts';
import type { Standing } from '#members/member.ts';
import { storeMovements } from '#points/store-movements.ts';
import { giveTierBenefits, type TierReached } from '#rewards/give-tier-benefits.ts';
import { standingOnNewLadder } from '#tiers/change-ladder.ts';
import { settledAt, type Climbed } from '#tiers/standing.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import { isDeepStrictEqual } from 'node:util';
import { isExpiryChanged, redatePoints } from './redate-points.ts';

const BATCH = 1_000;

/**
 * Moves every member from the rules of one program to those of the next. A new ladder lifts anyone who meets its
 * thresholds and lowers only members whose tier is gone. New expiry rules or another time zone give the points that
 * members hold new dates, but no points expire sooner. Returns a line for each kind of move with the number of members.
 */
export async function adjustMembers(
  tx: Tx,
  commerceId: number,
  before: Program,
  after: Program,
): Promise<string[]> {
  const tiersChanged = !isDeepStrictEqual(movesOf(before), movesOf(after));
  const commerce = await readCommerceUnder(tx, commerceId, after);
  if (commerce === undefined) throw new Error(`commerce ${commerceId} is gone`);
  const oldRules = rulesOf(before, commerce.rules.version - 1);
  const expiryChanged = isExpiryChanged(oldRules, commerce.rules);
  if (!tiersChanged && !expiryChanged) return [];

  const counts = new Map<Move, number>();
  const count = (move: Move | null, members = 1) => {
    if (move !== null && members > 0) counts.set(move, (counts.get(move) ?? 0) + members);
  };
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
    const given = await giveTierBenefits(
      tx,
      adjusted.flatMap(({ reached }) => reached),
    );
    for (const { move } of adjusted) count(move);
    count("members who get a tier's benefit", given.length);
  }
  return [...counts].map(([move, members]) => `${move}: ${members}`);
}

/** The effect of a change of the ladder on a member, in the operator's words. */
type Move =
  | 'members who reach a higher tier'
  | 'members who fall to a lower tier because theirs is removed'
  | 'members who are left without a tier'
  | 'members whose tier ends on another day'
  | "members who get a tier's benefit";

/** Returns the parts of the ladder that decide a member's tier; names, pictures and multipliers do not. */
function movesOf({ levels }: Program): unknown {
  const { threshold_type, valid_months, ladder } = levels;
  return [threshold_type, valid_months, ladder.map(({ id, threshold }) => [id, threshold])];
}

interface Adjusted {
  readonly member: LockedMember;
  readonly reached: TierReached[];
  readonly move: Move | null;
}

function unmoved(member: LockedMember): Adjusted {
  return { member, reached: [], move: null };
}

function onNewLadder(member: LockedMember, commerce: Commerce, oldRules: Rules): Adjusted {
  const { rules, now } = commerce;
  const settled = settledAt(member, oldRules, now);
  const changed = standingOnNewLadder(member, oldRules, rules, now);
  return {
    member: { ...member, standing: changed.standing },
    reached: changed.reached.map((tierId) => ({ member, commerce, tierId })),
    move: moveBetween(settled, changed),
  };
}

function moveBetween(before: Standing, { standing: after, reached }: Climbed): Move | null {
  if (after.tierId === before.tierId && after.expired === before.expired)
    return after.expiresOn === before.expiresOn ? null : 'members whose tier ends on another day';
  if (reached.length > 0) return 'members who reach a higher tier';
  if (after.tierId === null) return 'members who are left without a tier';
  return 'members who fall to a lower tier because theirs is removed';
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
