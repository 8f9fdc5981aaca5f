import { readBenefit, type Benefit } from '#benefits/benefit.ts';
import type { Commerce } from '#commerces/commerce.ts';
import type { Reward } from '#program/rules.ts';
import type { Tx } from '#db/database.ts';
import type { LockedMember } from '#points/locked-member.ts';
import { creditPoints } from '#tiers/credit-points.ts';
import { issueVouchers, newVoucher } from '#vouchers/issue-vouchers.ts';
import { claimRewards } from './claim-reward.ts';

/** What a reward put into a member's hands: points or a benefit, never both. */
export interface Given {
  /** The member with the reward's movement, to be stored by the caller. */
  readonly member: LockedMember;
  readonly points: number | null;
  readonly benefit: Benefit | null;
  /** Ids of the tiers that the points reached. */
  readonly reached: string[];
}

/**
 * Hands a reward to a locked member, once for each event and period for ever; undefined where it was handed
 * out before. Points count as earned, for tiers too; a benefit's code is issued without charging points.
 */
export async function giveReward(
  tx: Tx,
  member: LockedMember,
  commerce: Commerce,
  reward: Reward,
  event: 'welcome' | 'birthday' | 'monthly_top',
  period: string,
): Promise<Given | undefined> {
  const [claimed] = await claimRewards(tx, [{ member, event, period, givenAt: commerce.now }]);
  if (claimed === undefined) return undefined;
  if ('points' in reward)
    return {
      ...creditPoints(member, commerce, reward.points, { type: 'reward', event }),
      points: reward.points,
      benefit: null,
    };

  const benefit = await readBenefit(tx, commerce.id, reward.benefitId);
  if (benefit === undefined)
    throw new Error(`the program of ${commerce.slug} rewards with a benefit that it has not`);
  await issueVouchers(tx, [newVoucher(member, benefit, event, commerce.now)]);
  return { member, points: null, benefit, reached: [] };
}
