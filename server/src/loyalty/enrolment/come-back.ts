import type { Commerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import { giveTierBenefits } from '#rewards/give-tier-benefits.ts';
import { standingAt } from '#tiers/standing.ts';
import { giveFullCards } from '#stamps/give-full-cards.ts';
import { storeStandings } from '#tiers/store-standings.ts';

/**
 * Someone who left or was blocked takes part again. Their tier stood still; now it is settled, and climbs to what they
 * meet on the ladder of today.
 * @param before the member as they were locked
 * @param after the same, present again
 */
export async function comeBack(tx: Tx, before: Member, after: Member, commerce: Commerce): Promise<void> {
  const { standing, reached } = standingAt(after, commerce.rules, commerce.now);
  const member = { ...after, standing };
  await storeStandings(tx, [before], [member], () => commerce);
  await giveTierBenefits(
    tx,
    reached.map((tierId) => ({ member, commerce, tierId })),
  );
  if (commerce.rules.stamps.length > 0) await giveFullCards(tx, [{ member, commerce }]);
}
