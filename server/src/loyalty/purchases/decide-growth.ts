import { localDay } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { canEarn, isErased } from '#members/eligibility.ts';
import { NotEligible } from '#members/refusals.ts';
import { grantDate } from '#points/expires-on.ts';
import { factorsOf, wholeOfStored } from '#points/factors-of.ts';
import type { KeptLine } from '#points/line.ts';
import { withShare } from '#points/share-out.ts';
import { withMovement, type LockedMember } from '#points/locked-member.ts';
import { balanceOn, grant } from '#points/lots.ts';
import type { PendingPoints } from '#points/pending.ts';
import type { NoteFacts } from '#points/note.ts';
import { pointsByFactors, pointsOfMore, remainderChange } from '#points/points-for-purchase.ts';
import {
  changeStamps,
  type CardsOfKind,
  type ChangedCards,
  type ChangedStamps,
} from '#stamps/decide-stamps.ts';
import { climbRecord, type ClimbRecord } from '#tiers/climb-record.ts';
import { climb, standingAt } from '#tiers/standing.ts';
import { countedAtOf } from './counted-at.ts';
import { CouldNotBeCreated, refusalOf, waitsOf, type Waits } from './decide-purchase.ts';
import type { PurchaseToReverse } from './decide-reversal.ts';
import { Unconfirmed } from './unconfirmed.ts';

/** The inputs of a correction, stored with its movement. */
export interface CorrectionSnapshot {
  /** Version of the program that the purchase earned by. */
  readonly rule: number;
  /** Version of the program at the correction, on whose ladder the member climbed. */
  readonly version: number;
  /** The part of the purchase's amount that counts after it. */
  readonly kept: number;
  /** Absent if its points could be spent at once. */
  readonly waits?: Waits;
  /** What counts of its lines after it, by their place; absent if the shop did not say them. */
  readonly lines?: readonly KeptLine[];
  /** The stamps that it gave again; absent if none. */
  readonly stamps?: readonly ChangedStamps[];
  /** The tiers that it reached; absent if it reached none. */
  readonly climbed?: ClimbRecord;
  readonly note: NoteFacts;
}

/**
 * Returns the member after a purchase turned out to be larger by `more`, and the ids of the tiers that this reached. Applies the rules of
 * the purchase to all that is kept of it, and gives the difference. It is no purchase of its own: a purchase of which nothing was left
 * counts again, and dates that purchases move stay. As long as the purchase waits, so does what is added to it.
 * @throws NotEligible, Unconfirmed, CouldNotBeCreated, BeyondCounting
 */
export function decideGrowth(
  member: LockedMember,
  commerce: Commerce,
  purchase: Pick<
    PurchaseToReverse,
    'id' | 'at' | 'amount' | 'snapshot' | 'reversedAmount' | 'lines' | 'wasReleased' | 'wasCancelled'
  >,
  more: number,
  cardsOf?: (kind: string) => CardsOfKind,
): { member: LockedMember; reached: readonly string[]; stamps: ChangedCards | null } {
  const { rules, now, today } = commerce;
  if (!canEarn(member)) throw new NotEligible();
  if (purchase.wasCancelled) throw new Unconfirmed();
  const left = purchase.amount - purchase.reversedAmount;
  const kept = left + more;
  const refusal = refusalOf(commerce, kept);
  if (refusal !== null) throw refusal;

  const factors = factorsOf(purchase.snapshot, null);
  const whole = wholeOfStored(purchase.amount, purchase.snapshot).lines;
  const lines = whole === null || purchase.lines === null ? null : withShare(purchase.lines, whole, more);
  const [before, grown] = [
    { amount: left, lines: purchase.lines },
    { amount: kept, lines },
  ];
  const earned = pointsOfMore(grown, factors);
  if (earned === null)
    throw new CouldNotBeCreated(
      'beyond_counting',
      'it would earn more points than can be counted',
      'check the amount',
    );
  const points = earned - pointsByFactors(before, factors);
  const remainder = isErased(member) ? null : remainderChange(before, grown, factors);
  const stamps =
    cardsOf === undefined
      ? null
      : changeStamps(
          { given: purchase.snapshot.stamps ?? [], stampedAt: countedAtOf(purchase), before, after: grown },
          cardsOf,
          rules.stamps,
          today,
        );
  const waiting = waitingOf(member, commerce, purchase);
  const lots =
    waiting === undefined
      ? grant(member.lots, points, grantDate(rules.expiration, today, member, 'reward')).lots
      : member.lots;
  const held = standingAt(member, rules, now);
  const figures = { points: member.figures.points + points, amount: member.figures.amount + more };
  const climbed = climb(held.standing, figures, rules.tiers, now, rules.timeZone);
  const after = withMovement(
    member,
    {
      type: 'correction',
      at: now,
      pointsEarned: points,
      amount: more,
      purchases: left === 0 ? 1 : 0,
      reversesId: purchase.id,
      balanceAfter: balanceOn(lots, today),
      snapshot: {
        rule: purchase.snapshot.rule,
        version: rules.version,
        kept,
        ...(waiting !== undefined && { waits: waitsOf({ ...waiting, points }, rules) }),
        ...(lines !== null && { lines }),
        ...(stamps !== null && stamps.changed.length > 0 && { stamps: stamps.changed }),
        ...(climbed.reached.length > 0 && { climbed: climbRecord(held.standing, climbed, rules.tiers) }),
        note: { of: 'growth', bought: localDay(purchase.at, rules.timeZone) },
      } satisfies CorrectionSnapshot,
      ...(waiting !== undefined && { pending: { ...waiting, points: waiting.points + points } }),
      ...(remainder !== null && { remainder }),
    },
    { lots, today },
  );
  return {
    member: { ...after, standing: climbed.standing },
    reached: [...held.reached, ...climbed.reached],
    stamps,
  };
}

/**
 * Returns what waits of a purchase. Of one that was returned as a whole nothing does, until it counts again.
 * @throws Unconfirmed if the shop had to confirm it by now, whether or not a job has taken it back
 */
function waitingOf(
  { pending }: LockedMember,
  { now }: Commerce,
  { id, snapshot: { waits }, wasReleased }: Parameters<typeof decideGrowth>[2],
): PendingPoints | undefined {
  const waiting = pending.find(({ purchaseId }) => purchaseId === id);
  if (waits === undefined || wasReleased) return waiting;
  const { becomes } = waits;
  const promised = waiting ?? { purchaseId: id, points: 0, dueAt: new Date(waits.until), becomes };
  if (promised.dueAt > now) return promised;
  if (becomes === 'cancelled') throw new Unconfirmed();
  return waiting;
}
