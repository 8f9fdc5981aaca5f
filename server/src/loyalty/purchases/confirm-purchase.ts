import { readCommerce } from '#commerces/commerce.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { lockMember } from '#members/lock-members.ts';
import { withLots } from '#points/locked-member.ts';
import { balanceOn } from '#points/lots.ts';
import { settled, withAvailable } from '#points/pending.ts';
import { storeMovements } from '#points/store-movements.ts';
import { givePendingBenefits } from '#rewards/give-tier-benefits.ts';
import { giveFullCards } from '#stamps/give-full-cards.ts';
import { UnknownPurchase } from './read-purchase.ts';
import { findBuyer } from './reverse-purchase.ts';
import { Unconfirmed } from './unconfirmed.ts';

export interface Confirmed {
  /** What waits of the purchase still: all of it, if its points wait for a day. */
  readonly waiting: number;
  /** The member's balance right after it. */
  readonly balance: number;
}

/**
 * A shop confirms a purchase whose points wait for that: they can be spent from now on, and benefits of tiers and full
 * cards that waited for it are handed out. Confirming again, or a purchase of which nothing waits for the shop, changes nothing.
 * @throws UnknownPurchase, Unconfirmed if it was too late
 */
export async function confirmPurchase(
  tx: Tx,
  { commerceId, purchaseId }: { readonly commerceId: number; readonly purchaseId: number },
): Promise<Confirmed> {
  const id = await findBuyer(tx, commerceId, purchaseId);
  const found = id === undefined ? undefined : await lockMember(tx, { commerceId, id });
  const commerce = await readCommerce(tx, commerceId);
  if (found === undefined || commerce === undefined) throw new UnknownPurchase();
  const [held] = await withLots(tx, [found]);
  const member = settled(held!, commerce);

  const pending = member.pending.find((one) => one.purchaseId === purchaseId);
  if (pending === undefined && (await wasCancelled(tx, commerceId, purchaseId))) throw new Unconfirmed();
  const waitsForShop = pending?.becomes === 'cancelled';
  if (waitsForShop && pending.dueAt <= commerce.now) throw new Unconfirmed();
  const after = waitsForShop
    ? withAvailable(member, pending, commerce.now, commerce, { confirmed: true })
    : member;
  await storeMovements(tx, [after]);
  if (waitsForShop) {
    await givePendingBenefits(tx, commerce, [after]);
    await giveFullCards(tx, [{ member: after, commerce }]);
  }
  return {
    waiting: waitsForShop ? 0 : (pending?.points ?? 0),
    balance: balanceOn(after.lots, commerce.today),
  };
}

async function wasCancelled(db: Db, commerceId: number, purchaseId: number): Promise<boolean> {
  const { rows } = await sql<{ was: boolean }>`-- was-cancelled
    select exists (select from movements
                    where commerce_id = ${commerceId} and reverses_id = ${purchaseId} and type = 'reversal'
                      and snapshot ? 'cancelled') as was`.execute(db);
  return rows[0]!.was;
}
