import type { Commerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { isActive } from '#members/eligibility.ts';
import type { Member } from '#members/member.ts';
import { isMessageOn } from '#program/messages.ts';
import { heightOf, tierHeld } from '#tiers/ladder.ts';
import type { TierReached } from './give-tier-benefits.ts';

/** A member before and after something that may have lifted their tier. */
export interface Climb {
  readonly before: Member;
  readonly after: Member;
  readonly commerce: Commerce;
}

/**
 * Mails members who stand higher than before, if the program asks for it: one mail each, about the tier they have now. Anyone
 * who comes down gets none.
 * @param given the benefits that were handed out for tiers
 */
export async function tellOfTiers(
  tx: Tx,
  climbs: readonly Climb[],
  given: readonly TierReached[],
): Promise<void> {
  const told = climbs.flatMap(({ before, after, commerce }) => {
    const { rules, program } = commerce;
    const { id, commerceId, email, standing } = after;
    const tier = tierHeld(standing, rules.tiers);
    if (standing === before.standing || tier === null || email === null) return [];
    if (!isMessageOn(program, 'level') || !isActive(after)) return [];
    if (heightOf(standing, rules.tiers) <= heightOf(before.standing, rules.tiers)) return [];
    const got = given.some(
      ({ member, tierId }) => member.commerceId === commerceId && member.id === id && tierId === tier.id,
    );
    const benefit = program.benefits.find((one) => got && one.id === tier.benefitId)?.title ?? null;
    const content = { level: tier.name, multiplierThousandths: tier.multiplierThousandths, benefit };
    return [{ commerceId, kind: 'level' as const, recipient: email, content }];
  });
  await enqueueMails(tx, told);
}
