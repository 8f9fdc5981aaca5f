/** Points that have expired but are still in `balances`. Readers leave them out, and a job writes them off. */
import { addDays, endOfDay, type Day } from '#calendar/calendar.ts';
import { isCountable } from './countable.ts';
import { withMovement, type LockedMember } from './locked-member.ts';
import { expire, isGood, type Lot } from './lots.ts';

/** The points that expired at the end of one day. */
export interface ExpiredDay {
  readonly day: Day;
  /** The last instant at which the points were valid. */
  readonly at: Date;
  readonly points: number;
}

/** Returns which of these points have expired by `today`, by day, earliest first. The history shows the same. */
export function expiredDays(
  lots: readonly Pick<Lot, 'expiresOn' | 'points'>[],
  today: Day,
  timeZone: string,
): ExpiredDay[] {
  const byDay = new Map<Day, number>();
  for (const { expiresOn, points } of lots.filter((lot) => !isGood(lot, today))) {
    byDay.set(expiresOn, (byDay.get(expiresOn) ?? 0) + points);
  }
  return [...byDay]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, points]) => ({ day, at: endOfDay(day, timeZone), points }));
}

/**
 * Adds a movement for each day on which points have expired, dated at the end of that day. Leaves a member alone whose
 * figures are not exact: `ledger verify` reports those.
 */
export function withoutExpired(member: LockedMember, today: Day, timeZone: string): LockedMember {
  if (!isCountable(member, today)) return member;
  return expiredDays(member.lots, today, timeZone).reduce((member, { day, at }) => {
    const { lots } = expire(member.lots, addDays(day, 1));
    return withMovement(member, { type: 'expiry', at }, { lots, today });
  }, member);
}
