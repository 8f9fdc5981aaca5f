import { readCommerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { findMember } from '#members/lock-members.ts';
import type { PointsForPurchase } from '#points/points-for-purchase.ts';
import { tierThatCounts } from '#tiers/ladder.ts';
import { standingAt } from '#tiers/standing.ts';
import { pointsOf } from './decide-purchase.ts';
import { explainPurchase } from './explain-purchase.ts';
import { UnknownMember } from '#members/refusals.ts';

/**
 * Returns the points that a purchase would earn if it were recorded now, by the same rules. Records nothing.
 * @throws UnknownMember, NotEligible, CouldNotBeCreated
 */
export async function previewPurchase(
  db: Db,
  commerceId: number,
  code: number,
  amount: number,
): Promise<PointsForPurchase & { explanation: string }> {
  const member = await findMember(db, { commerceId, code });
  const commerce = await readCommerce(db, commerceId);
  if (member === undefined || commerce === undefined) throw new UnknownMember(code);
  const { rules, now, program } = commerce;
  const { standing } = standingAt(member, rules, now);
  const earned = pointsOf(member, commerce, amount, now, tierThatCounts(standing, rules.tiers));
  return { ...earned, explanation: explainPurchase({ amount, factors: earned.factors }, program.locale) };
}
