import type { Commerce } from '#commerces/commerce.ts';
import type { Reward } from '#program/rules.ts';
import type { Tx } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import { withLots } from '#points/locked-member.ts';
import { storeMovements } from '#points/store-movements.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import { giveRewards } from './give-rewards.ts';
import { giveTierBenefits } from './give-tier-benefits.ts';

/**
 * Gives a reward to locked members and stores everything that follows: figures, tiers and tier benefits. Each member
 * gets it once for each event and period. Returns how many members had not got it before.
 */
export async function handOut(
  tx: Tx,
  members: readonly Member[],
  commerce: Commerce,
  reward: Reward,
  event: 'birthday' | 'monthly_top',
  periodOf: (member: Member) => string,
): Promise<number> {
  const due = (await withLots(tx, members)).map((member) => ({ member, period: periodOf(member) }));
  const given = await giveRewards(tx, commerce, reward, event, due);
  const after = given.map(({ member }) => member);
  await storeMovements(tx, after);
  await storeStandings(tx, members, after);
  await giveTierBenefits(
    tx,
    given.flatMap(({ member, reached }) => reached.map((tierId) => ({ member, commerce, tierId }))),
  );
  return given.filter(({ points, benefit }) => points !== null || benefit !== null).length;
}
