import type { Commerce } from '#commerces/commerce.ts';
import { isActive } from '#members/eligibility.ts';
import type { Tx } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import { handOutBenefits } from './hand-out-benefits.ts';

export interface TierReached {
  readonly member: Member;
  readonly commerce: Commerce;
  readonly rank: number;
}

/**
 * Members get the benefit of each tier they reach, once per member and tier for ever. People whose points
 * still wait get theirs when they enrol. Takes as many statements for many tiers and members as for one.
 */
export async function giveTierBenefits(tx: Tx, reached: readonly TierReached[]): Promise<void> {
  const claims = reached.flatMap(({ member, commerce, rank }) => {
    const benefitId = commerce.rules.tiers.ladder.find((tier) => tier.rank === rank)?.benefitId ?? null;
    if (benefitId === null || !isActive(member)) return [];
    return [{ member, benefitId, event: 'level' as const, period: String(rank), givenAt: commerce.now }];
  });
  await handOutBenefits(tx, claims);
}
