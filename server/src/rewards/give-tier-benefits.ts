import { readBenefit, type Benefit } from '#benefits/benefit.ts';
import type { Commerce } from '#commerces/commerce.ts';
import type { Db, Tx } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import { tierById } from '#tiers/ladder.ts';
import { issueVouchers, newVoucher } from '#vouchers/issue-vouchers.ts';
import { claimRewards } from './claim-reward.ts';

export interface TierReached {
  readonly member: Member;
  readonly commerce: Commerce;
  readonly tierId: string;
}

/**
 * Members get the benefit of each tier they reach, once per member and tier for ever. People whose points
 * still wait get theirs when they enrol. Returns how many benefits were handed out.
 */
export async function giveTierBenefits(tx: Tx, reached: readonly TierReached[]): Promise<number> {
  const benefits = await readBenefitsOf(tx, reached);
  const claims = reached.flatMap(({ member, commerce, tierId }) => {
    const benefit = benefits.get(nameOf(commerce, tierId));
    if (benefit === undefined || member.state !== 'member' || member.blockedAt !== null) return [];
    return [{ member, benefit, event: 'level' as const, period: tierId, givenAt: commerce.now }];
  });
  const given = await claimRewards(tx, claims);
  await issueVouchers(
    tx,
    given.map(({ member, benefit, period, givenAt }) => ({
      ...newVoucher(member, benefit, 'level', givenAt),
      tierId: period,
    })),
  );
  return given.length;
}

/** The benefit of each tier that was reached and has one. */
async function readBenefitsOf(db: Db, reached: readonly TierReached[]): Promise<Map<string, Benefit>> {
  const benefits = new Map<string, Benefit>();
  for (const { commerce, tierId } of new Map(
    reached.map((tier) => [nameOf(tier.commerce, tier.tierId), tier]),
  ).values()) {
    const benefitId = tierById(tierId, commerce.rules.tiers)?.benefitId ?? null;
    const benefit = benefitId === null ? undefined : await readBenefit(db, commerce.id, benefitId);
    if (benefit !== undefined) benefits.set(nameOf(commerce, tierId), benefit);
  }
  return benefits;
}

function nameOf(commerce: Commerce, tierId: string): string {
  return `${commerce.id}/${tierId}`;
}
