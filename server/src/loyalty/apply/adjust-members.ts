import { readCommerceUnder } from '#commerces/commerce.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { lockMembers } from '#members/lock-members.ts';
import { withLots } from '#points/locked-member.ts';
import { settled } from '#points/pending.ts';
import { storeMovements } from '#points/store-movements.ts';
import { rulesOf } from '#program/compile-rules.ts';
import type { Program } from '#program/program.ts';
import { giveTierBenefits } from '#rewards/give-tier-benefits.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import { createAdjustment, createMoveCount } from './adjustment.ts';

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
  const commerce = await readCommerceUnder(tx, commerceId, after);
  if (commerce === undefined) throw new Error(`commerce ${commerceId} is gone`);
  const adjustment = createAdjustment(before, commerce);
  if (!adjustment.movesMembers) return [];
  // What has come to its instant did so under the rules before.
  const until = { ...commerce, rules: rulesOf(before, commerce.rules.version - 1) };

  const moves = createMoveCount();
  for (
    let ids = await nextMembers(tx, commerceId, 0);
    ids.length > 0;
    ids = await nextMembers(tx, commerceId, ids.at(-1)!)
  ) {
    const members = await lockMembers(
      tx,
      ids.map((id) => ({ commerceId, id })),
    );
    const locked = (await withLots(tx, members)).map((member) => settled(member, until));
    const adjusted = locked.map((member) => adjustment.adjust(member));
    const after = adjusted.map(({ member }) => member);
    await storeMovements(tx, after);
    await storeStandings(tx, members, after, () => commerce);
    const given = await giveTierBenefits(
      tx,
      adjusted.flatMap(({ member, reached }) => reached.map((tierId) => ({ member, commerce, tierId }))),
    );
    for (const { move } of adjusted) moves.add(move);
    moves.add("members who get a tier's benefit", given.length);
  }
  return moves.lines();
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
