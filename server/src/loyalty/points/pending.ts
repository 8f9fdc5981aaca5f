/**
 * Points that wait before they can be spent. They are no part of the points that a member holds until their instant, and from then on
 * they are, whether or not anybody has written that down. Whoever locks a member writes it first, dated at that instant; a job does it for
 * everybody else.
 */
import { addDays, localDay, startOfDay } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import type { PendingRule } from '#program/earning-rules.ts';
import { isCountable } from './countable.ts';
import { grantDate, type Dated } from './expires-on.ts';
import { withMovement, type LockedMember, type UnsettledMember } from './locked-member.ts';
import { grant, type Lot } from './lots.ts';

/** What waits of a purchase. */
export interface PendingPoints {
  /** Null until the purchase is stored. */
  readonly purchaseId: number | null;
  readonly points: number;
  /** By the commerce's clock. It was promised with the purchase, so no change of the program moves it. */
  readonly dueAt: Date;
  /** What happens then: the points can be spent, or the purchase is taken back because nobody has confirmed it. */
  readonly becomes: PendingRule['becomes'];
}

type Calendar = Pick<Commerce, 'rules' | 'now' | 'today'>;

/** Returns until when points wait that came at an instant: the beginning of a local day, so many days later. */
export function dueAtOf({ days }: PendingRule, since: Date, timeZone: string): Date {
  return startOfDay(addDays(localDay(since, timeZone), days), timeZone);
}

/** Returns a member whose points are those of now: what has come to its instant is a movement, dated then. */
export function settled(stored: UnsettledMember, commerce: Calendar): LockedMember {
  const { storedLots, ...others } = stored;
  return withDue({ ...others, lots: storedLots, past: [], movements: [] }, commerce);
}

/**
 * Makes available what has come to its instant. Points pay a debt first. They expire as if they were granted on that day, and in an
 * accumulated balance they take its date. Leaves a member alone whose figures are not exact: `ledger verify` reports those.
 */
export function withDue(member: LockedMember, commerce: Calendar): LockedMember {
  if (member.pending.length === 0 || !isCountable(member, commerce.today)) return member;
  return dueOf(member.pending, commerce.now).reduce(
    (before, pending) => withAvailable(before, pending, pending.dueAt, commerce),
    member,
  );
}

/** Returns the member after the points of a purchase became available at an instant. @throws BeyondCounting */
export function withAvailable(
  member: LockedMember,
  pending: PendingPoints,
  at: Date,
  { rules, today }: Calendar,
  how: { readonly confirmed?: true } = {},
): LockedMember {
  return withMovement(
    member,
    {
      type: 'available',
      at,
      reversesId: pending.purchaseId!,
      snapshot: { rule: rules.version, ...how },
      pending: { ...pending, points: null },
    },
    { lots: afterGrant(member, pending, at, rules), today },
  );
}

/** Returns the points held now, for display. */
export function lotsNow(
  { lots, movedOn, pending }: Dated & { readonly pending: readonly PendingPoints[] },
  { rules, now }: Pick<Commerce, 'rules' | 'now'>,
): readonly Lot[] {
  return dueOf(pending, now).reduce(
    (held, due) => afterGrant({ lots: held, movedOn }, due, due.dueAt, rules),
    lots,
  );
}

/** Returns the points that wait at an instant. */
export function pendingAt(pending: readonly PendingPoints[], now: Date): PendingPoints[] {
  return pending.filter(({ dueAt }) => dueAt > now).sort(byInstant);
}

/** Returns how many points wait at an instant. */
export function pointsPendingAt(pending: readonly PendingPoints[], now: Date): number {
  return pendingAt(pending, now).reduce((sum, { points }) => sum + points, 0);
}

function dueOf(pending: readonly PendingPoints[], now: Date): PendingPoints[] {
  return pending.filter(({ dueAt, becomes }) => becomes === 'available' && dueAt <= now).sort(byInstant);
}

function afterGrant(
  member: Dated,
  { points }: PendingPoints,
  at: Date,
  { expiration, timeZone }: Commerce['rules'],
): readonly Lot[] {
  return grant(member.lots, points, grantDate(expiration, localDay(at, timeZone), member, 'reward')).lots;
}

function byInstant(one: PendingPoints, other: PendingPoints): number {
  return one.dueAt.getTime() - other.dueAt.getTime() || (one.purchaseId ?? 0) - (other.purchaseId ?? 0);
}
