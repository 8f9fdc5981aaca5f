import { readDraft } from '#apply/check-draft.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { pointsForPurchase, type PointsForPurchase } from '#points/points-for-purchase.ts';
import { rulesOf } from '#program/compile-rules.ts';
import type { Tier } from '#program/rules.ts';
import { ProgramNotValid } from './publish-draft.ts';

/** What a purchase would earn on a tier, or without one. Null if that is more than can be counted. */
export interface TriedPurchase {
  readonly tier: Tier | null;
  readonly earned: PointsForPurchase | null;
}

/**
 * Returns what a purchase would earn now under a proposed program, on each of its tiers, by the rule that records purchases.
 * Somebody without a tier comes first, unless the lowest tier is everybody's.
 * @throws ProgramNotValid
 */
export async function tryPurchase(
  db: Db,
  commerceId: number,
  said: unknown,
  amount: number,
): Promise<{ readonly tried: readonly TriedPurchase[]; readonly locale: string }> {
  const { program: inForce, now, rules: current } = (await readCommerce(db, commerceId))!;
  const read = readDraft(inForce, said);
  if (!read.ok) throw new ProgramNotValid(read.problems);
  const rules = rulesOf(read.program, current.version);
  const { ladder } = rules.tiers;
  const tiers = ladder[0]?.threshold === 0 ? ladder : [null, ...ladder];
  return {
    tried: tiers.map((tier) => ({ tier, earned: pointsForPurchase(amount, { at: now, tier, rules }) })),
    locale: read.program.locale,
  };
}
