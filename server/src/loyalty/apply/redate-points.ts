import { isDeepStrictEqual } from 'node:util';
import { endOfDay, localDay, type Day } from '#calendar/calendar.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { isCountable } from '#points/countable.ts';
import { withoutExpired } from '#points/expired-days.ts';
import { grantDate } from '#points/expires-on.ts';
import { withMovement, type LockedMember } from '#points/locked-member.ts';
import { later, redate, withDates, type Lot } from '#points/lots.ts';
import type { Rules } from '#program/rules.ts';

/** The rules that decide when points expire. */
type Expiry = Pick<Rules, 'expiration' | 'timeZone'>;

/** Returns true if the points that members hold may need another date under the new rules. */
export function isExpiryChanged(before: Expiry, after: Expiry): boolean {
  return isModeChanged(before, after) || before.timeZone !== after.timeZone;
}

/**
 * Returns the member with new dates for the points, by the commerce's rules instead of the rules before. No points
 * expire sooner. A new time zone keeps a date, or moves it to the first day that ends no sooner. A new mode or number of
 * months dates points as if they were granted now, or keeps their old date if that is later.
 */
export function redatePoints(member: LockedMember, commerce: Commerce, before: Expiry): LockedMember {
  const { rules, today } = commerce;
  if (!isCountable(member, today)) return member; // nothing can be recorded on this member
  const moved = before.timeZone === rules.timeZone ? member : inOtherZone(member, commerce, before.timeZone);
  const granted = grantDate(rules.expiration, today, { lots: [], movedOn: null }, 'purchase');
  const lots = isModeChanged(before, rules) ? redate(moved.lots, granted, today).lots : moved.lots;
  return redated(moved, commerce, lots);
}

function isModeChanged({ expiration: before }: Expiry, { expiration: after }: Expiry): boolean {
  return before.mode !== after.mode || before.months !== after.months;
}

/** Expired points are written off first, because in the new zone their last day may not have ended yet. */
function inOtherZone(member: LockedMember, commerce: Commerce, zoneBefore: string): LockedMember {
  const { rules, now } = commerce;
  const today = localDay(now, zoneBefore);
  const held = withoutExpired(member, today, zoneBefore);
  const dayOf = (day: Day) => later(day, localDay(endOfDay(day, zoneBefore), rules.timeZone));
  const dateOf = ({ expiresOn, moving }: Lot) => ({
    expiresOn: expiresOn === 'infinity' ? expiresOn : dayOf(expiresOn),
    moving,
  });
  return redated(held, commerce, withDates(held.lots, today, dateOf).lots);
}

/** Records one movement if any date has changed, and none otherwise. */
function redated(member: LockedMember, { rules, now, today }: Commerce, lots: readonly Lot[]): LockedMember {
  if (isDeepStrictEqual(lots, member.lots)) return member;
  return withMovement(
    member,
    { type: 'redate', at: now, snapshot: { rule: rules.version } },
    { lots, today },
  );
}
