import type { Audited } from '#audit/audited.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { coverStanding, uncoverStanding } from '#members/cover-standing.ts';
import { lockPerson } from '#members/lock-person.ts';
import { Problem } from '#problems/problem.ts';
import { giveTierBenefits } from '#rewards/give-tier-benefits.ts';
import { heightOf, tierById } from '#tiers/ladder.ts';
import { quote } from '#text/quote.ts';
import { standingAt } from '#tiers/standing.ts';
import { storeStandings } from '#tiers/store-standings.ts';

/** A tier that staff give a member, whatever the rules say. */
export interface TierToPin {
  readonly commerceId: number;
  readonly memberId: number;
  /** Null pins the member below the ladder. */
  readonly tierId: string | null;
  /** For the audit. The member does not see it. */
  readonly reason: string;
}

/** The tier of a member after it was pinned or unpinned. */
export interface HeldTier {
  readonly tierId: string | null;
  readonly isPinned: boolean;
}

/** The ladder of the program has no such tier. */
export class UnknownTier extends Problem {
  constructor(tierId: string) {
    super(400, 'unknown_level', `the program has no level ${quote(tierId)}`);
  }
}

/**
 * Staff pin a tier: the member holds it until staff unpin it, or until it is removed from the program. Purchases, periods
 * and returns go on beneath the pin and do not show. Pinning a higher tier hands out the benefits on the way to it, as
 * climbing would, once per member and tier. Pinning the pinned tier again changes nothing.
 * @throws UnknownMember, PersonErased, UnknownTier
 */
export async function pinTier(
  tx: Tx,
  { commerceId, memberId, tierId, reason }: TierToPin,
): Promise<Audited<HeldTier>> {
  const found = await lockPerson(tx, commerceId, memberId);
  const commerce = (await readCommerce(tx, commerceId))!;
  const { rules, now } = commerce;
  const tier = tierById(tierId, rules.tiers);
  if (tierId !== null && tier === null) throw new UnknownTier(tierId);

  const held = standingAt(found, rules, now);
  const isPinned = held.standing.beneath !== null;
  const answer = { tierId, isPinned: true };
  if (isPinned && held.standing.tierId === tierId) return { answer, entry: null };

  const standing = coverStanding(uncoverStanding(held.standing), tierId, now);
  const member = { ...found, standing };
  await storeStandings(tx, [found], [member], () => commerce);
  const passed = rules.tiers.ladder.filter(
    ({ rank }) => rank > heightOf(held.standing, rules.tiers) && rank <= (tier?.rank ?? 0),
  );
  const reached = [...held.reached, ...passed.map(({ id }) => id)];
  await giveTierBenefits(
    tx,
    reached.map((tierId) => ({ member, commerce, tierId })),
  );
  return {
    answer,
    entry: {
      action: 'tier.pin',
      memberId,
      before: { level: held.standing.tierId, pinned: isPinned },
      after: { level: tierId, pinned: true },
      personal: { reason },
    },
  };
}
