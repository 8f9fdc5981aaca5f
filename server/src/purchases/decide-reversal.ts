import type { Commerce } from '#commerces/commerce.ts';
import { Problem } from '#problems/problem.ts';
import type { Figures, Standing } from '#members/member.ts';
import { expiredOf, type LaterMovement } from '#points/expired-of.ts';
import { withMovement, type LockedMember } from '#points/locked-member.ts';
import { takeBack, total, type Lot, type Split } from '#points/lots.ts';
import { factorsOf } from '#points/factors-of.ts';
import { pointsByFactors } from '#points/points-for-purchase.ts';
import { climbDown, countingWithout, type Climb, type LostTier } from '#tiers/climb-down.ts';
import { lastPresent, settledAt } from '#tiers/standing.ts';
import type { StoredSnapshot } from './decide-purchase.ts';

/** A recorded purchase, what of it was taken back before, and what happened to the member since. */
export interface PurchaseToReverse {
  readonly id: number;
  readonly at: Date;
  readonly amount: number;
  readonly split: Split;
  readonly snapshot: StoredSnapshot;
  readonly reversedAmount: number;
  /** The tiers that it had reached, on the ladder of today; null where it reached none. */
  readonly climb: Climb | null;
  /** The same of the member's other purchases of which something was returned. */
  readonly returnedClimbs: readonly Climb[];
  /** Movements after the purchase, in their order; none are needed where nothing has expired since. */
  readonly later: readonly LaterMovement[];
}

/** What a return was computed from, kept with its movement. */
export interface ReversalSnapshot {
  /** Version of the program whose rule the purchase earned by. */
  readonly rule: number;
  /** What is left of the purchase's amount. */
  readonly kept: number;
  /** Points that the lifetime figure loses. */
  readonly points: number;
  readonly policy: 'negative' | 'clamp' | 'refuse';
  /** Of these, what had expired unspent and is taken back from nobody: [[day, moving, points], …]. */
  readonly forgiven: readonly (readonly [string, boolean, number])[];
  /** The tiers that it took away; absent where it took none. Unused codes of their benefits are void. */
  readonly lost?: readonly LostTier[];
}

/** Nothing is left of the purchase, or less than is to be taken back, or the program refuses what was spent. */
export class CannotBeReversed extends Problem {
  constructor(reason: string) {
    super(400, `the consumption could not be reversed: ${reason}`);
  }
}

/**
 * The member after a return of `amount` of a purchase, or of all that is left of it, and the tiers that the return
 * takes away. The rule of the purchase's own day is applied to the amount that is kept, and the difference is taken
 * back, so that pieces add up to the whole.
 * @throws CannotBeReversed
 */
export function decideReversal(
  member: LockedMember,
  commerce: Commerce,
  purchase: PurchaseToReverse,
  amount: number | undefined,
  note: string,
): { member: LockedMember; lost: readonly LostTier[] } {
  const { rules, now, today } = commerce;
  const { snapshot } = purchase;
  const policy = rules.earning.returns;
  const left = purchase.amount - purchase.reversedAmount;
  const returned = amount ?? left;
  if (left === 0) throw new CannotBeReversed('all of it was reversed before');
  if (returned <= 0) throw new CannotBeReversed('the amount must be above zero');
  if (returned > left) throw new CannotBeReversed(`only ${left} of the amount are left`);
  const kept = left - returned;

  const factors = factorsOf(snapshot, null);
  const points = pointsByFactors(left, factors) - pointsByFactors(kept, factors);
  const forgiven = upTo(points, expiredOf(purchase.split, purchase.later, member.lots, today));
  const change = takeBack(member.lots, points - total(forgiven), purchase.split, today, policy);
  if (change === null) throw new CannotBeReversed('the points were spent already');

  const { standing, lost } = lowered(member, commerce, purchase, { points, amount: returned });
  const after = withMovement(
    member,
    {
      type: 'reversal',
      at: now,
      pointsEarned: 0 - points,
      amount: -returned,
      purchases: kept === 0 ? -1 : 0,
      reversesId: purchase.id,
      snapshot: {
        rule: snapshot.rule,
        kept,
        points,
        policy,
        forgiven: forgiven.map((lot) => [lot.expiresOn, lot.moving, lot.points]),
        ...(lost.length > 0 && { lost }),
      } satisfies ReversalSnapshot,
      note,
    },
    { lots: change.lots, today },
  );
  return { member: { ...after, standing }, lost };
}

/** The first `points` of the lots. */
function upTo(points: number, lots: readonly Lot[]): Lot[] {
  let left = points;
  return lots.flatMap((lot) => {
    const part = Math.min(left, lot.points);
    left -= part;
    return part > 0 ? [{ ...lot, points: part }] : [];
  });
}

/** The member's standing once `taken` has left the lifetime figures; periods that have ended are settled before. */
function lowered(
  member: LockedMember,
  { rules, now }: Commerce,
  { at, climb, returnedClimbs }: PurchaseToReverse,
  taken: Figures,
): { standing: Standing; lost: readonly LostTier[] } {
  const standing = countingWithout(settledAt(member, rules, now), at, taken);
  if (climb === null) return { standing, lost: [] };
  const { points, amount } = member.figures;
  const figures = { points: points - taken.points, amount: amount - taken.amount };
  return climbDown(standing, climb, returnedClimbs, figures, rules, lastPresent(member, now));
}
