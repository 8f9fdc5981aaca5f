import { placeDraft } from '#apply/check-draft.ts';
import type { Day } from '#calendar/calendar.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { grantDate, type Dated } from '#points/expires-on.ts';
import { pointsForPurchase, type PointsForPurchase } from '#points/points-for-purchase.ts';
import { NEWCOMER, type BuyerSoFar, type SaidFacts } from '#points/purchase-facts.ts';
import type { CheckedProgram } from '#program/check-program.ts';
import { rulesOf } from '#program/compile-rules.ts';
import type { Tier } from '#program/rules.ts';
import { ProgramNotValid } from './publish-draft.ts';

/** A purchase under a proposed program. */
export interface TriedPurchase {
  /** The last day of its points. Null if they never end. */
  readonly expiresOn: Day | null;
  /** Its points on each tier, or without one. Null if that is more than can be counted. */
  readonly tiers: readonly { readonly tier: Tier | null; readonly earned: PointsForPurchase | null }[];
  /** The language of the program. */
  readonly locale: string;
}

/**
 * Returns what a purchase would earn now under a proposed program, on each of its tiers, and when its points would end. The rules
 * are those that record purchases. Somebody without a tier comes first, unless the lowest tier is everybody's.
 * @throws ProgramNotValid
 */
export async function tryPurchase(
  db: Db,
  commerceId: number,
  checked: CheckedProgram,
  purchase: SaidFacts,
): Promise<TriedPurchase> {
  const { program: inForce, now, today, rules: current } = (await readCommerce(db, commerceId))!;
  const read = placeDraft(inForce, checked);
  if (!read.ok) throw new ProgramNotValid(read.problems);
  const rules = rulesOf(read.program, current.version);
  const { ladder } = rules.tiers;
  const tiers = ladder[0]?.threshold === 0 ? ladder : [null, ...ladder];
  const { expiresOn } = grantDate(rules.expiration, today, newcomer, 'purchase');
  return {
    expiresOn: expiresOn === 'infinity' ? null : expiresOn,
    tiers: tiers.map((tier) => ({
      tier,
      earned: pointsForPurchase({ ...purchase, at: now, tier, rules, buyer: REGULAR }),
    })),
    locale: read.program.locale,
  };
}

/** Somebody who has bought before and joined long ago, so that rules for newcomers do not apply. */
const REGULAR: BuyerSoFar = { ...NEWCOMER, purchases: 1 };

/** Somebody who has no points yet. */
const newcomer: Dated = { lots: [], movedOn: null };
