import { readBenefit } from '#benefits/benefit.ts';
import type { Commerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import { issueVouchers, newVoucher } from '#vouchers/issue-vouchers.ts';
import { claimReward } from './claim-reward.ts';

export interface TierReached {
  readonly member: Member;
  readonly commerce: Commerce;
  readonly rank: number;
}

/**
 * Members get the benefit of each tier they reach, once per member and tier for ever. People whose points
 * still wait get theirs when they enrol.
 */
export async function giveTierBenefits(db: Db, reached: readonly TierReached[]): Promise<void> {
  for (const { member, commerce, rank } of reached) {
    const benefitId = commerce.rules.tiers.ladder.find((tier) => tier.rank === rank)?.benefitId ?? null;
    if (benefitId === null || member.state !== 'member' || member.blockedAt !== null) continue;
    const benefit = await readBenefit(db, commerce.id, benefitId);
    if (benefit === undefined) continue;
    if (!(await claimReward(db, member, 'level', String(rank), commerce.now))) continue;
    await issueVouchers(db, [newVoucher(member, benefit, 'level', commerce.now)]);
  }
}
