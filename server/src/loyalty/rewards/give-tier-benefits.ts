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
 * still wait get theirs when they enrol. Returns those for whom a benefit was handed out. The number of statements does not
 * grow with tiers or members.
 */
export async function giveTierBenefits<Reached extends TierReached>(
  tx: Tx,
  reached: readonly Reached[],
): Promise<Reached[]> {
  const claims = tierBenefitClaims(reached);
  return (await handOutBenefits(tx, claims)).map(({ one }) => one);
}

/** Returns the benefits that members who reached tiers may get, if they have not got them before. */
export function tierBenefitClaims<Reached extends TierReached>(reached: readonly Reached[]) {
  return reached.flatMap((one) => {
    const { member, commerce, tierId } = one;
    const benefitId = tierById(tierId, commerce.rules.tiers)?.benefitId ?? null;
    if (benefitId === null || !isActive(member)) return [];
    return [{ member, benefitId, event: 'level' as const, period: tierId, givenAt: commerce.now, one }];
  });
}
