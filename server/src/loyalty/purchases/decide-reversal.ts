import { localDay } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { isErased } from '#members/eligibility.ts';
import type { Figures, Standing } from '#members/member.ts';
import type { NoteFacts } from '#points/note.ts';
import { expiredOf, type LaterMovement } from '#points/expired-of.ts';
import { withMovement, type LockedMember } from '#points/locked-member.ts';
import { balanceOn, takeBack, total, withSplit, type Lot, type Split } from '#points/lots.ts';
import { factorsOf, wholeOfStored } from '#points/factors-of.ts';
import type { Kept, KeptLine } from '#points/line.ts';
import { pointsByFactors, remainderChange } from '#points/points-for-purchase.ts';
import { withoutShare } from '#points/share-out.ts';
import {
  changeStamps,
  type CardsOfKind,
  type ChangedCards,
  type ChangedStamps,
} from '#stamps/decide-stamps.ts';
import {
  standingAfterReturn,
  countingWithout,
  type Climb,
  type LostTier,
} from '#tiers/standing-after-return.ts';
import { lastPresent, settledAt } from '#tiers/standing.ts';
import { countedAtOf } from './counted-at.ts';
import type { StoredSnapshot } from './decide-purchase.ts';
import { CannotBeReversed, type GoesBack } from './what-goes-back.ts';

/** A recorded purchase, its earlier returns, and the later movements of the member. */
export interface PurchaseToReverse {
  readonly id: number;
  readonly at: Date;
  readonly amount: number;
  readonly split: Split;
  /** Where the points went that it earned when it grew, and those that waited. */
  readonly grown: Split;
  readonly snapshot: StoredSnapshot;
  readonly reversedAmount: number;
  /** Its points have waited, and became available. */
  readonly wasReleased: boolean;
  /** It was taken back because nobody had confirmed it. */
  readonly wasCancelled: boolean;
  /** What counts of its lines; null if the shop did not say them. */
  readonly lines: Kept['lines'];
  /** The tiers that it reached, on the current ladder, when it was made and each time that it grew. */
  readonly climbs: readonly Climb[];
  /** The same for the member's other purchases with returns. */
  readonly returnedClimbs: readonly Climb[];
  /** Movements after the purchase, in order; not needed if nothing has expired since. */
  readonly later: readonly LaterMovement[];
}

/** The inputs of a return, stored with its movement. */
export interface ReversalSnapshot {
  /** Version of the program that the purchase earned by. */
  readonly rule: number;
  /** Version of the program at the return, whose calendar its balance was read by. Earlier releases stored none. */
  readonly version?: number;
  /** The part of the purchase's amount that is left. */
  readonly kept: number;
  /** What is left of its lines, by their place; absent if the shop did not say them. */
  readonly lines?: readonly KeptLine[];
  /** True if the shop said which lines came back; absent if they did in proportion. */
  readonly byLines?: true;
  /** The amount paid back above the amount of the return, in the smallest unit; absent if nothing. Below zero if less was. */
  readonly cents?: number;
  /** Points subtracted from the lifetime figure. */
  readonly points: number;
  readonly policy: 'negative' | 'clamp' | 'refuse';
  /** The part of these that expired unspent, which is not taken back: [[day, moving, points], …]. */
  readonly forgiven: readonly (readonly [string, boolean, number])[];
  /** The part of these that waited, which comes off that. Absent if nothing did. */
  readonly waited?: number;
  /** What it took of its stamps; absent if it gave none, or none went. */
  readonly stamps?: readonly ChangedStamps[];
  /** Nobody has confirmed the purchase in time. Absent for a return. */
  readonly cancelled?: true;
  /** The tiers that it took away; absent if none. Unused codes of their benefits become void. */
  readonly lost?: readonly LostTier[];
  /** Earlier releases stored a sentence instead. */
  readonly note?: NoteFacts;
}

/**
 * Returns the member after a return of a part of a purchase, and the tiers that the return takes away. Applies the rules of
 * the purchase to the amount that is kept, and takes back the difference: first from what still waits of it. Partial returns therefore add
 * up to the whole.
 * @throws CannotBeReversed if the points were spent and the program forbids that
 */
export function decideReversal(
  member: LockedMember,
  commerce: Commerce,
  purchase: PurchaseToReverse,
  { amount: returned, cents, lines: saidLines }: GoesBack,
  { typedNote, isCancelled = false, cardsOf }: HowItCameBack = {},
): { member: LockedMember; lost: readonly LostTier[]; stamps: ChangedCards } {
  const { rules, now, today } = commerce;
  const { snapshot } = purchase;
  // Nobody is left who could owe points.
  const policy = isErased(member) ? 'clamp' : rules.earning.returns;
  const left = purchase.amount - purchase.reversedAmount;
  const kept = left - returned;

  const factors = factorsOf(snapshot, null);
  const whole = wholeOfStored(purchase.amount, snapshot).lines;
  const lines =
    saidLines ??
    (whole === null || purchase.lines === null ? null : withoutShare(purchase.lines, whole, returned));
  const [before, after] = [
    { amount: left, lines: purchase.lines },
    { amount: kept, lines },
  ];
  const points = pointsByFactors(before, factors) - pointsByFactors(after, factors);
  const remainder = isErased(member) ? null : remainderChange(before, after, factors);
  const waiting = member.pending.find(({ purchaseId }) => purchaseId === purchase.id);
  const waited = Math.min(points, waiting?.points ?? 0);
  const had = points - waited;
  const forgiven = upTo(had, expiredOf(purchase.split, purchase.later, member.lots, today));
  const went = withSplit(purchase.split, purchase.grown);
  const change = takeBack(member.lots, had - total(forgiven), went, today, policy);
  if (change === null) throw new CannotBeReversed('points_spent', 'the points were spent already');

  const stamps =
    cardsOf === undefined
      ? NO_CARDS
      : changeStamps(
          { given: snapshot.stamps ?? [], stampedAt: countedAtOf(purchase), before, after },
          cardsOf,
          rules.stamps,
          today,
        );
  const { standing, lost } = lowered(member, commerce, purchase, { points, amount: returned });
  const moved = withMovement(
    member,
    {
      type: 'reversal',
      at: now,
      pointsEarned: 0 - points,
      amount: 0 - returned,
      purchases: kept === 0 ? -1 : 0,
      reversesId: purchase.id,
      balanceAfter: balanceOn(change.lots, today),
      snapshot: {
        rule: snapshot.rule,
        version: rules.version,
        kept,
        ...(lines !== null && { lines }),
        ...(saidLines !== undefined && { byLines: true as const }),
        ...(cents !== 0 && { cents }),
        points,
        ...(waiting !== undefined && { waited }),
        ...(stamps.changed.length > 0 && { stamps: stamps.changed }),
        ...(isCancelled && { cancelled: true as const }),
        policy,
        forgiven: forgiven.map((lot) => [lot.expiresOn, lot.moving, lot.points]),
        ...(lost.length > 0 && { lost }),
        note: isCancelled
          ? { of: 'cancelled', bought: localDay(purchase.at, rules.timeZone) }
          : {
              of: 'return',
              bought: localDay(purchase.at, rules.timeZone),
              whole: purchase.reversedAmount === 0 && kept === 0,
            },
      } satisfies ReversalSnapshot,
      typedNote,
      ...(waiting !== undefined && {
        pending: { ...waiting, points: kept === 0 ? null : waiting.points - waited },
      }),
      ...(remainder !== null && { remainder }),
    },
    { lots: change.lots, today },
  );
  return { member: { ...moved, standing }, lost, stamps };
}

export interface HowItCameBack {
  readonly typedNote?: string | undefined;
  readonly isCancelled?: boolean;
  /** The cards of a kind that the purchase stamped; absent if it stamped none, or if nobody has them any more. */
  readonly cardsOf?: ((kind: string) => CardsOfKind) | undefined;
}

const NO_CARDS: ChangedCards = { cards: [], full: [], taken: [], changed: [] };

/** Returns the first `points` of the lots. */
function upTo(points: number, lots: readonly Lot[]): Lot[] {
  let left = points;
  return lots.flatMap((lot) => {
    const part = Math.min(left, lot.points);
    left -= part;
    return part > 0 ? [{ ...lot, points: part }] : [];
  });
}

/** Returns the member's standing after subtracting `taken` from the lifetime figures. Settles ended periods first. */
function lowered(
  member: LockedMember,
  { rules, now }: Commerce,
  purchase: PurchaseToReverse,
  taken: Figures,
): { standing: Standing; lost: readonly LostTier[] } {
  const { climbs, returnedClimbs } = purchase;
  const standing = countingWithout(settledAt(member, rules, now), countedAtOf(purchase), taken);
  if (climbs.length === 0) return { standing, lost: [] };
  const { points, amount } = member.figures;
  const figures = { points: points - taken.points, amount: amount - taken.amount };
  return standingAfterReturn(standing, climbs, returnedClimbs, figures, rules, lastPresent(member, now));
}
