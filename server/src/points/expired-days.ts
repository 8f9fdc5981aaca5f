/** Points that have expired and are still held on paper: readers leave them out, and the job writes them off. */
import { addDays, endOfDay, type Day } from '#calendar/calendar.ts';
import { isCountable } from './countable.ts';
import { withMovement, type LockedMember } from './locked-member.ts';
import { expire, isGood, type Lot } from './lots.ts';

/** What expired at the end of one day. */
export interface ExpiredDay {
  readonly day: Day;
  /** The last instant at which the points were good. */
  readonly at: Date;
  readonly points: number;
}

/** What of these lots has expired before `today`, by day, earliest first. The history shows it as if it were written. */
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
 * The member with a movement for each day on which points have expired, dated at its end. A member whose figures are
 * past counting is left alone: the check of the books tells of it.
 */
export function withoutExpired(member: LockedMember, today: Day, timeZone: string): LockedMember {
  if (!isCountable(member, today)) return member;
  return expiredDays(member.lots, today, timeZone).reduce((member, { day, at }) => {
    const { lots } = expire(member.lots, addDays(day, 1));
    return withMovement(member, { type: 'expiry', at }, { lots, today });
  }, member);
}
