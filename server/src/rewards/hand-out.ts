import type { Commerce } from '#commerces/commerce.ts';
import type { Reward } from '#program/rules.ts';
import type { Tx } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import { withLots } from '#points/locked-member.ts';
import { storeMovements } from '#points/store-movements.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import { giveReward } from './give-reward.ts';
import { giveTierBenefits } from './give-tier-benefits.ts';

/**
 * Hands a reward to locked members and stores it: figures, tier and tier benefits with it; once for each event and
 * period. Gives how many of them had not been handed it before.
 */
export async function handOut(
  tx: Tx,
  members: readonly Member[],
  commerce: Commerce,
  reward: Reward,
  event: 'birthday' | 'monthly_top',
  periodOf: (member: Member) => string,
): Promise<number> {
  const before = await withLots(tx, members);
  const after = [];
  const reached = [];
  let count = 0;
  for (const member of before) {
    const given = await giveReward(tx, member, commerce, reward, event, periodOf(member));
    after.push(given?.member ?? member);
    reached.push(...(given?.reached ?? []).map((tierId) => ({ member: given!.member, commerce, tierId })));
    if (given !== undefined) count++;
  }
  await storeMovements(tx, after);
  await storeStandings(tx, before, after);
  await giveTierBenefits(tx, reached);
  return count;
}
