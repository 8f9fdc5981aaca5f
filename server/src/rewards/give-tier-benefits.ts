import type { Commerce } from '#commerces/commerce.ts';
import { isActive } from '#members/eligibility.ts';
import type { Tx } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import { tierById } from '#tiers/ladder.ts';
import { handOutBenefits } from './hand-out-benefits.ts';

export interface TierReached {
  readonly member: Member;
  readonly commerce: Commerce;
  readonly tierId: string;
}

/**
 * Members get the benefit of each tier they reach, once per member and tier for ever. People whose points
 * still wait get theirs when they enrol. Returns how many benefits were handed out. The number of statements does not
 * grow with tiers or members.
 */
export async function giveTierBenefits(tx: Tx, reached: readonly TierReached[]): Promise<number> {
  const claims = reached.flatMap(({ member, commerce, tierId }) => {
    const benefitId = tierById(tierId, commerce.rules.tiers)?.benefitId ?? null;
    if (benefitId === null || !isActive(member)) return [];
    return [{ member, benefitId, event: 'level' as const, period: tierId, givenAt: commerce.now }];
  });
  return (await handOutBenefits(tx, claims)).length;
}
