import type { Day } from '#calendar/calendar.ts';
import type { ExpirationRules } from '#program/rules.ts';
import { grantDate, type Dated } from './expires-on.ts';
import { giveBack, grant, total, type LotsChange, type Split } from './lots.ts';

/**
 * Gives back the points that an exchange took. In mode 'rolling' they return to the days they came from. If a day has
 * passed, they get 30 days of grace. Points that had no day get the day of a reward given today. In the other modes they
 * get the same date as a reward: the date of the whole balance, or none.
 */
export function comeBack(member: Dated, taken: Split, expiration: ExpirationRules, today: Day): LotsChange {
  const asReward = grantDate(expiration, today, member, 'reward');
  if (expiration.mode !== 'rolling') return grant(member.lots, 0 - total(taken), asReward);
  const dated = taken.map((lot) =>
    lot.expiresOn === 'infinity' ? { ...lot, expiresOn: asReward.expiresOn } : lot,
  );
  return giveBack(member.lots, dated, today);
}
