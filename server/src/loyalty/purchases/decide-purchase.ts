import { localDay, type Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { Problem } from '#problems/problem.ts';
import { canEarn } from '#members/eligibility.ts';
import type { Rules, Tier } from '#program/rules.ts';
import { smallestUnitsOf } from '#program/values.ts';
import type { Member } from '#members/member.ts';
import { NotEligible } from '#members/refusals.ts';
import { grantDate } from '#points/expires-on.ts';
import { wholeOf, type KeptLine } from '#points/line.ts';
import { withMovement, type LockedMember } from '#points/locked-member.ts';
import { balanceOn, grant, moveDates } from '#points/lots.ts';
import type { Earning } from '#points/factors/factor.ts';
import { dueAtOf, type PendingPoints } from '#points/pending.ts';
import type { StoredFactors } from '#points/factors-of.ts';
import { pointsForPurchase, remainderChange, type PointsForPurchase } from '#points/points-for-purchase.ts';
import type { BuyerSoFar, PurchaseFacts } from '#points/purchase-facts.ts';
import { stampPurchase, type GivenStamps, type Stamped } from '#stamps/decide-stamps.ts';
import type { StampCard } from '#stamps/stamp-card.ts';
import { climbRecord, type ClimbRecord } from '#tiers/climb-record.ts';
import type { HeldTier } from '#tiers/held-at.ts';
import { tierById } from '#tiers/ladder.ts';
import { climb, standingAt } from '#tiers/standing.ts';

/** Other facts known about a purchase. Its points do not depend on them. */
export interface Reported {
  /** Null if it is reported when it is made. */
  readonly late: Late | null;
  /** The amount paid above its amount, in the smallest unit of the currency. Returns of a part count it. */
  readonly cents?: number;
  /** The buyer's cards that have not ended, as far as anybody has noticed; none if the program has no stamps. */
  readonly cards?: readonly StampCard[];
}

/** A purchase that is reported some time after it was made. */
export interface Late {
  /** Nothing has happened to the buyer since then, so the balance after it is known. */
  readonly isLatest: boolean;
  /** The rules that it earns by; those of now if they are left out. */
  readonly rules?: Rules;
  /**
   * When the shop told of an order that it says was paid then. What has ended by then stays ended, and tiers are reached then. Limits
   * count in that period, too, and points wait from then on.
   */
  readonly arrivedAt?: Date;
  /** The tier that the buyer held when it was made, if it has changed since. */
  readonly heldThen?: HeldTier | null;
}

/** What waits of the points of a purchase, or of its growth, as its movement keeps it. */
export interface Waits extends Pick<PendingPoints, 'points' | 'becomes'> {
  /** An instant as in JSON, and the local day that it begins. */
  readonly until: string;
  readonly day: Day;
}

/** The inputs of a purchase's points, stored with its movement. Used to explain and reverse the purchase. */
export interface PurchaseSnapshot {
  /** Version of the program that it earned by. */
  readonly rule: number;
  /** Version at the time of recording, on whose ladder the buyer climbed; absent if it is the same. */
  readonly version?: number;
  /** The tier held before the purchase, by its rank in the ladder of that version. */
  readonly tier: number | null;
  /** The factors of its points, in order. */
  readonly factors: PointsForPurchase['factors'];
  /** Its lines by their place: their amounts and units. Absent if the shop did not say them. */
  readonly lines?: readonly KeptLine[];
  /** Absent if the shop did not say it. */
  readonly channel?: string;
  /** The ids of the rules with a limit that gave it something; absent if none. */
  readonly used?: readonly string[];
  /** When it arrived, in milliseconds, if it is of an order that was paid earlier. */
  readonly arrived?: number;
  /** The amount paid above its amount, in the smallest unit of the currency; absent if nothing is known. */
  readonly cents?: number;
  /** What it gave on each kind of card; absent if nothing. */
  readonly stamps?: readonly GivenStamps[];
  /** Absent if its points could be spent at once. */
  readonly waits?: Waits;
  /** The tiers that this purchase reached; absent if it reached none. */
  readonly climbed?: ClimbRecord;
}

/** A snapshot stored by any release. */
export type StoredSnapshot = Omit<PurchaseSnapshot, 'factors'> & StoredFactors;

export class CouldNotBeCreated extends Problem {
  constructor(code: 'paused' | 'invalid_amount' | 'beyond_counting', reason: string, next?: string) {
    super(400, code, `the consumption could not be created: ${reason}`, next === undefined ? {} : { next });
  }
}

/**
 * Returns the member after a purchase, the ids of the tiers it reached, and the cards it stamped. The points depend on the tier held before; a
 * tier that the purchase reaches counts from the next one.
 * @throws NotEligible, CouldNotBeCreated, BeyondCounting
 */
export function decidePurchase(
  member: LockedMember,
  commerce: Commerce,
  purchase: PurchaseFacts,
  { late, cents = 0, cards = [] }: Reported,
): { member: LockedMember; reached: string[]; stamped: Stamped } {
  const { rules, program, now } = commerce;
  const { at, amount, branchId, registerId } = purchase;
  if (cents > 0 && cents >= smallestUnitsOf(program.currency))
    throw new CouldNotBeCreated(
      'invalid_amount',
      `${cents} cents are no part of a unit of ${program.currency}`,
    );
  const today = late === null ? commerce.today : localDay(at, rules.timeZone);
  const arrivedAt = late?.arrivedAt ?? null;
  const countsAt = arrivedAt ?? at;
  const held = standingAt(member, rules, countsAt);
  const ruled = late?.rules ?? rules;
  const heldThen = late?.heldThen ?? (arrivedAt === null ? held : standingAt(member, rules, at)).standing;
  const tierThen = tierById(heldThen.tierId, ruled.tiers);
  const tier = heldThen.expired ? null : tierThen;
  const buyer = { ...buyerOf(member), arrivedAt };
  const earned = pointsOf(member, { ...commerce, rules: ruled }, { ...purchase, buyer }, tier);
  const stamped = stampPurchase({ ...purchase, buyer, tier, rules: ruled }, cards);

  const date = grantDate(rules.expiration, today, member, 'purchase');
  // What has expired before it arrived stays so.
  const expiredBefore = arrivedAt === null ? today : commerce.today;
  const moved = date.moving ? moveDates(member.lots, date.expiresOn, expiredBefore).lots : member.lots;
  const figures = {
    points: member.figures.points + earned.points,
    amount: member.figures.amount + amount,
  };
  const climbed = climb(held.standing, figures, rules.tiers, countsAt, rules.timeZone);
  const pending = pendingOf(earned.points, ruled, commerce, late === null ? now : countsAt);
  const lots = pending === null ? grant(moved, earned.points, date).lots : moved;
  const remainder = remainderChange(null, wholeOf(purchase), earned.factors);
  const after = withMovement(
    member,
    {
      type: 'purchase',
      at,
      // A caller who reports a past purchase is not told the balance.
      ...((late === null || late.isLatest) && { balanceAfter: balanceOn(lots, today) }),
      pointsEarned: earned.points,
      amount,
      purchases: 1,
      branchId,
      registerId,
      ...(purchase.lines !== null && { lines: purchase.lines }),
      snapshot: {
        rule: ruled.version,
        ...(ruled.version !== rules.version && { version: rules.version }),
        tier: tierThen?.rank ?? null,
        factors: earned.factors,
        ...(purchase.lines !== null && { lines: wholeOf(purchase).lines! }),
        ...(purchase.channel !== null && { channel: purchase.channel }),
        ...(earned.used.length > 0 && { used: earned.used }),
        ...(arrivedAt !== null && { arrived: arrivedAt.getTime() }),
        ...(stamped.given.length > 0 && { stamps: stamped.given }),
        ...(cents > 0 && { cents }),
        ...(pending !== null && { waits: waitsOf(pending, rules) }),
        ...(climbed.reached.length > 0 && {
          climbed: climbRecord(held.standing, climbed, rules.tiers),
        }),
      } satisfies PurchaseSnapshot,
      ...(pending !== null && { pending }),
      ...(remainder !== null && { remainder }),
    },
    {
      lots,
      today: commerce.today,
      movedOn: latest(member.movedOn, today),
    },
  );
  const past =
    ruled.earning.counted === null
      ? after.past
      : [...after.past, { at, used: earned.used, points: earned.points }];
  return {
    member: { ...after, past, standing: climbed.standing },
    reached: [...held.reached, ...climbed.reached],
    stamped,
  };
}

/** Returns what waits of a purchase, since an instant; null if its points can be spent at once. */
function pendingOf(
  points: number,
  { earning }: Rules,
  { rules, now }: Commerce,
  since: Date,
): PendingPoints | null {
  if (earning.pending === null) return null;
  const { becomes } = earning.pending;
  const dueAt = dueAtOf(earning.pending, since, rules.timeZone);
  return dueAt <= now ? null : { purchaseId: null, points, dueAt, becomes };
}

/** Returns what a movement keeps of points that wait. */
export function waitsOf(
  { points, becomes, dueAt }: PendingPoints,
  { timeZone }: Pick<Rules, 'timeZone'>,
): Waits {
  return { points, becomes, until: dueAt.toISOString(), day: localDay(dueAt, timeZone) };
}

/** Keeps the later day, so a purchase that is reported late moves nothing back. */
function latest(movedOn: Day | null, today: Day): Day {
  return movedOn !== null && movedOn > today ? movedOn : today;
}

/** Returns what the rules of a purchase may ask about its buyer. */
export function buyerOf({
  purchases,
  enrolledAt,
  past,
  remainder,
}: Pick<LockedMember, 'purchases' | 'enrolledAt' | 'past' | 'remainder'>): BuyerSoFar {
  return { purchases, joinedAt: enrolledAt, past, arrivedAt: null, remainder };
}

/** Returns the points of a purchase, or throws its refusal. A preview uses the same function. */
export function pointsOf(
  member: Pick<Member, 'state' | 'blockedAt'>,
  commerce: Commerce,
  purchase: PurchaseFacts & Pick<Earning, 'buyer'>,
  tier: Tier | null,
): PointsForPurchase {
  if (!canEarn(member)) throw new NotEligible();
  const refusal = refusalOf(commerce, purchase.amount);
  if (refusal !== null) throw refusal;
  const earned = pointsForPurchase({ ...purchase, tier, rules: commerce.rules });
  if (earned === null)
    throw new CouldNotBeCreated(
      'beyond_counting',
      'it would earn more points than can be counted',
      'check the amount',
    );
  return earned;
}

/** Returns the refusal of a purchase of this amount for any buyer; null if it depends on the buyer. */
export function refusalOf(
  commerce: Pick<Commerce, 'rules' | 'status'>,
  amount: number,
): CouldNotBeCreated | null {
  const { maxAmount } = commerce.rules.earning;
  if (commerce.status === 'paused')
    return new CouldNotBeCreated(
      'paused',
      'the program is paused',
      'record it when the program is active again',
    );
  if (amount <= 0)
    return new CouldNotBeCreated(
      'invalid_amount',
      'the amount must be above zero',
      'to take a purchase back, reverse it',
    );
  if (amount > maxAmount)
    return new CouldNotBeCreated('invalid_amount', `the amount is above ${maxAmount}`, 'check the amount');
  return null;
}
