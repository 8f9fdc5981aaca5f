/** Expired points that are not written off yet. Readers leave them out, and the job writes them off. */
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

/** Returns the points that expired before `today`, by day, earliest first. The history shows them as already written off. */
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
 * Returns the member with a movement for each day on which points expired, dated at the end of that day. Skips a member
 * whose figures exceed the limit; the ledger check reports that member.
 */
export function withoutExpired(member: LockedMember, today: Day, timeZone: string): LockedMember {
  if (!isCountable(member, today)) return member;
  return expiredDays(member.lots, today, timeZone).reduce((member, { day, at }) => {
    const { lots } = expire(member.lots, addDays(day, 1));
    return withMovement(member, { type: 'expiry', at }, { lots, today });
  }, member);
}
