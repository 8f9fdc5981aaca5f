import type { Day } from '#calendar/calendar.ts';
import type { ExpirationRules } from '#program/rules.ts';
import { grantDate, type Dated } from './expires-on.ts';
import { giveBack, grant, total, type LotsChange, type Split } from './lots.ts';

/**
 * Points that an exchange took come back. Where each grant expires by itself they go to the days they came from, and
 * where a day has passed to a grace of 30 days; points that had no day get the day of a reward given today. In the
 * other modes they land where a reward does: on the date of the whole balance, or on none.
 */
export function comeBack(member: Dated, taken: Split, expiration: ExpirationRules, today: Day): LotsChange {
  const asReward = grantDate(expiration, today, member, 'reward');
  if (expiration.mode !== 'rolling') return grant(member.lots, 0 - total(taken), asReward);
  const dated = taken.map((lot) =>
    lot.expiresOn === 'infinity' ? { ...lot, expiresOn: asReward.expiresOn } : lot,
  );
  return giveBack(member.lots, dated, today);
}
