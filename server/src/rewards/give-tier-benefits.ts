import { readBenefit, type Benefit } from '#benefits/benefit.ts';
import type { Commerce } from '#commerces/commerce.ts';
import type { Db, Tx } from '#db/database.ts';
import { isActive } from '#members/eligibility.ts';
import type { Member } from '#members/member.ts';
import { issueVouchers, newVoucher } from '#vouchers/issue-vouchers.ts';
import { claimRewards } from './claim-reward.ts';

export interface TierReached {
  readonly member: Member;
  readonly commerce: Commerce;
  readonly rank: number;
}

/**
 * Members get the benefit of each tier they reach, once per member and tier for ever. People whose points
 * still wait get theirs when they enrol.
 */
export async function giveTierBenefits(tx: Tx, reached: readonly TierReached[]): Promise<void> {
  const benefits = await readBenefitsOf(tx, reached);
  const claims = reached.flatMap(({ member, commerce, rank }) => {
    const benefit = benefits.get(nameOf(commerce, rank));
    if (benefit === undefined || !isActive(member)) return [];
    return [{ member, benefit, event: 'level' as const, period: String(rank), givenAt: commerce.now }];
  });
  const given = await claimRewards(tx, claims);
  await issueVouchers(
    tx,
    given.map(({ member, benefit, givenAt }) => newVoucher(member, benefit, 'level', givenAt)),
  );
}

/** The benefit of each tier that was reached and has one. */
async function readBenefitsOf(db: Db, reached: readonly TierReached[]): Promise<Map<string, Benefit>> {
  const benefits = new Map<string, Benefit>();
  for (const { commerce, rank } of new Map(
    reached.map((tier) => [nameOf(tier.commerce, tier.rank), tier]),
  ).values()) {
    const benefitId = commerce.rules.tiers.ladder.find((tier) => tier.rank === rank)?.benefitId ?? null;
    const benefit = benefitId === null ? undefined : await readBenefit(db, commerce.id, benefitId);
    if (benefit !== undefined) benefits.set(nameOf(commerce, rank), benefit);
  }
  return benefits;
}

function nameOf(commerce: Commerce, rank: number): string {
  return `${commerce.id}/${rank}`;
}
