import type { Commerce } from '#commerces/commerce.ts';
import { isActive } from '#members/eligibility.ts';
import type { Tx } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import { tierById } from '#tiers/ladder.ts';
import { handOutBenefits } from './hand-out-benefits.ts';
import { deferBenefits, nameOfBenefitClaim, takeDueBenefits } from './pending-benefits.ts';

export interface TierReached {
  /** With what waits of their purchases, where that is known. */
  readonly member: Member & { readonly pending?: readonly unknown[] };
  readonly commerce: Commerce;
  readonly tierId: string;
}

/**
 * Members get the benefit of each tier they reach, once per member and tier for ever. People whose points
 * still wait get theirs when they enrol, and those with purchases that wait when these have stopped. Returns those for whom a benefit was
 * handed out. The number of statements does not grow with tiers or members.
 */
export async function giveTierBenefits<Reached extends TierReached>(
  tx: Tx,
  reached: readonly Reached[],
): Promise<Reached[]> {
  const claims = tierBenefitClaims(reached);
  const mayWait = claims.filter(({ member: { pending } }) => pending === undefined || pending.length > 0);
  const deferred = await deferBenefits(tx, mayWait.map(tierOf));
  const due = claims.filter((claim) => !deferred.has(nameOfBenefitClaim(tierOf(claim))));
  return (await handOutBenefits(tx, due)).map(({ one }) => one);
}

/** Hands out what these locked members were to get when their purchases have stopped waiting, as far as they have. */
export async function givePendingBenefits(
  tx: Tx,
  commerce: Commerce,
  members: readonly Member[],
): Promise<void> {
  const byId = new Map(members.map((member) => [member.id, member]));
  const due = await takeDueBenefits(tx, commerce.id, [...byId.keys()]);
  const reached = due.map(({ memberId, tierId }) => ({ member: byId.get(memberId)!, commerce, tierId }));
  await handOutBenefits(tx, tierBenefitClaims(reached));
}

function tierOf({ member, period }: { readonly member: Member; readonly period: string }) {
  return { commerceId: member.commerceId, memberId: member.id, tierId: period };
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
