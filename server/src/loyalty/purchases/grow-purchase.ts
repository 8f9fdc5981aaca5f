import { readCommerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { lockMember } from '#members/lock-members.ts';
import { withLots } from '#points/locked-member.ts';
import { settled } from '#points/pending.ts';
import { storeMovements } from '#points/store-movements.ts';
import { giveTierBenefits } from '#rewards/give-tier-benefits.ts';
import { tellOfTiers } from '#rewards/tell-of-tiers.ts';
import { giveFullCards } from '#stamps/give-full-cards.ts';
import { storeCards } from '#stamps/store-cards.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import { decideGrowth } from './decide-growth.ts';
import { UnknownPurchase } from './read-purchase.ts';
import { cardsRef, findBuyer, readCardsOfPurchase, readPurchaseToReverse } from './reverse-purchase.ts';
import { lockUnused } from '#stamps/read-cards.ts';

/**
 * More was paid for a purchase than was recorded, or some of what went back was paid again. The buyer gets what its own rule gives for
 * that, and may reach a tier. It counts as one purchase all the same.
 * @param more whole currency units, above zero
 * @throws UnknownPurchase, NotEligible, Unconfirmed, CouldNotBeCreated, BeyondCounting
 */
export async function growPurchase(
  tx: Tx,
  { commerceId, purchaseId, more }: { commerceId: number; purchaseId: number; more: number },
): Promise<void> {
  const id = await findBuyer(tx, commerceId, purchaseId);
  const found = id === undefined ? undefined : await lockMember(tx, { commerceId, id });
  const commerce = await readCommerce(tx, commerceId);
  if (found === undefined || commerce === undefined) throw new UnknownPurchase();
  const [held] = await withLots(tx, [found]);
  const member = settled(held!, commerce);
  const purchase = await readPurchaseToReverse(tx, member, commerce, purchaseId);

  const cardsOf = await readCardsOfPurchase(tx, member, purchase, lockUnused(tx));
  const { member: after, reached, stamps } = decideGrowth(member, commerce, purchase, more, cardsOf);
  await storeMovements(tx, [after]);
  if (stamps !== null) {
    await storeCards(tx, [{ ...cardsRef(found, purchaseId, commerce), ...stamps, entries: stamps.changed }]);
    if (stamps.full.length > 0) await giveFullCards(tx, [{ member: after, commerce }]);
  }
  await storeStandings(tx, [found], [after], () => commerce);
  const given = await giveTierBenefits(
    tx,
    reached.map((tierId) => ({ member: after, commerce, tierId })),
  );
  await tellOfTiers(tx, [{ before: found, after, commerce }], given);
}
