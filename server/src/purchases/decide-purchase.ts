import { localDay, type Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { Problem } from '#problems/problem.ts';
import { canEarn } from '#members/eligibility.ts';
import type { Tier } from '#program/rules.ts';
import type { Member } from '#members/member.ts';
import { NotEligible } from '#members/refusals.ts';
import { grantDate } from '#points/expires-on.ts';
import { withMovement, type LockedMember } from '#points/locked-member.ts';
import { grant, moveDates } from '#points/lots.ts';
import type { StoredFactors } from '#points/factors-of.ts';
import { pointsForPurchase, type PointsForPurchase } from '#points/points-for-purchase.ts';
import { climbRecord, type ClimbRecord } from '#tiers/climb-record.ts';
import { tierHeld, tierThatCounts } from '#tiers/ladder.ts';
import { climb, standingAt } from '#tiers/standing.ts';

/** What was bought. */
export interface Purchase {
  /** Whole currency units. */
  readonly amount: number;
  readonly branchId?: number | null;
  readonly registerId?: number | null;
  /** When, in the program's time; the commerce's clock where it is absent. */
  readonly at?: Date;
}

/** What a purchase's points were computed from, kept with its movement: it is explained and reversed by this. */
export interface PurchaseSnapshot {
  /** Version of the program. */
  readonly rule: number;
  /** The tier held before the purchase, by its rank in the ladder of that version. */
  readonly tier: number | null;
  /** What its points came about by, in order. */
  readonly factors: PointsForPurchase['factors'];
  /** The tiers that this very purchase reached; absent where it reached none. */
  readonly climbed?: ClimbRecord;
}

/** A snapshot as any release has stored it. */
export type StoredSnapshot = Omit<PurchaseSnapshot, 'factors'> & StoredFactors;

export class CouldNotBeCreated extends Problem {
  constructor(reason: string) {
    super(400, `the consumption could not be created: ${reason}`);
  }
}

/**
 * The member after a purchase, and the ids of the tiers it reached. The points follow the tier held before;
 * what the purchase triggers counts from the next.
 * @throws NotEligible, CouldNotBeCreated, BeyondCounting
 */
export function decidePurchase(
  member: LockedMember,
  commerce: Commerce,
  purchase: Purchase,
): { member: LockedMember; reached: string[] } {
  const { rules } = commerce;
  const at = purchase.at ?? commerce.now;
  const today = purchase.at === undefined ? commerce.today : localDay(at, rules.timeZone);
  const held = standingAt(member, rules, at);
  const earned = pointsOf(member, commerce, purchase.amount, at, tierThatCounts(held.standing, rules.tiers));

  const date = grantDate(rules.expiration, today, member, 'purchase');
  const moved = date.moving ? moveDates(member.lots, date.expiresOn, today).lots : member.lots;
  const figures = {
    points: member.figures.points + earned.points,
    amount: member.figures.amount + purchase.amount,
  };
  const climbed = climb(held.standing, figures, rules.tiers, at, rules.timeZone);
  const after = withMovement(
    member,
    {
      type: 'purchase',
      at,
      pointsEarned: earned.points,
      amount: purchase.amount,
      purchases: 1,
      branchId: purchase.branchId ?? null,
      registerId: purchase.registerId ?? null,
      snapshot: {
        rule: rules.version,
        tier: tierHeld(held.standing, rules.tiers)?.rank ?? null,
        factors: earned.factors,
        ...(climbed.reached.length > 0 && {
          climbed: climbRecord(held.standing, climbed, rules.tiers),
        }),
      } satisfies PurchaseSnapshot,
    },
    {
      lots: grant(moved, earned.points, date).lots,
      today: commerce.today,
      movedOn: latest(member.movedOn, today),
    },
  );
  return { member: { ...after, standing: climbed.standing }, reached: [...held.reached, ...climbed.reached] };
}

/** A purchase that is reported late moves nothing back. */
function latest(movedOn: Day | null, today: Day): Day {
  return movedOn !== null && movedOn > today ? movedOn : today;
}

/** The points of a purchase, or the refusal of it. A preview asks the same. */
export function pointsOf(
  member: Member,
  commerce: Commerce,
  amount: number,
  at: Date,
  tier: Tier | null,
): PointsForPurchase {
  if (!canEarn(member)) throw new NotEligible();
  const refusal = refusalOf(commerce, amount);
  if (refusal !== null) throw refusal;
  const earned = pointsForPurchase(amount, { at, tier, rules: commerce.rules });
  if (earned === null) throw new CouldNotBeCreated('it would earn more points than can be counted');
  return earned;
}

/** Why nobody at all could make a purchase of that amount now; null where it depends on who buys. */
export function refusalOf(commerce: Commerce, amount: number): CouldNotBeCreated | null {
  const { maxAmount } = commerce.rules.earning;
  if (commerce.status === 'paused') return new CouldNotBeCreated('the program is paused');
  if (amount <= 0) return new CouldNotBeCreated('the amount must be above zero');
  if (amount > maxAmount) return new CouldNotBeCreated(`the amount is above ${maxAmount}`);
  return null;
}
