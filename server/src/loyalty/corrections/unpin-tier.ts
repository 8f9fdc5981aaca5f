import type { Audited } from '#audit/audited.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { lockPerson } from '#members/lock-person.ts';
import { giveTierBenefits } from '#rewards/give-tier-benefits.ts';
import { standingAt } from '#tiers/standing.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import type { HeldTier } from './pin-tier.ts';

/** A pin that staff end. */
export interface TierToUnpin {
  readonly commerceId: number;
  readonly memberId: number;
  /** For the audit. The member does not see it. */
  readonly reason?: string | undefined;
}

/**
 * Staff unpin a tier: the member holds the tier that the rules give at this instant, as if it had never been pinned. Codes
 * that the pin handed out stay. Unpinning a tier that is not pinned changes nothing.
 * @throws UnknownMember, PersonErased
 */
export async function unpinTier(
  tx: Tx,
  { commerceId, memberId, reason }: TierToUnpin,
): Promise<Audited<HeldTier>> {
  const found = await lockPerson(tx, commerceId, memberId);
  const commerce = (await readCommerce(tx, commerceId))!;
  const { tierId: pinned, beneath } = found.standing;
  if (beneath === null) return { answer: { tierId: pinned, isPinned: false }, entry: null };

  const { standing, reached } = standingAt({ ...found, standing: beneath }, commerce.rules, commerce.now);
  const member = { ...found, standing };
  await storeStandings(tx, [found], [member], () => commerce);
  await giveTierBenefits(
    tx,
    reached.map((tierId) => ({ member, commerce, tierId })),
  );
  return {
    answer: { tierId: standing.tierId, isPinned: false },
    entry: {
      action: 'tier.unpin',
      memberId,
      before: { level: pinned, pinned: true },
      after: { level: standing.tierId, pinned: false },
      personal: { reason: reason ?? null },
    },
  };
}
