import type { Day } from '#calendar/calendar.ts';
import type { ExpirationRules } from '#program/rules.ts';
import { grantDate, type Dated } from './expires-on.ts';
import { giveBack, grant, total, type LotsChange, type Split } from './lots.ts';

/**
 * Returns the points that an exchange took. If each grant expires by itself, they go back to the days they came from, or
 * to a grace of 30 days if the day has passed; points without a day get the day of a reward given today. In the other
 * modes they land where a reward does.
 */
export function comeBack(member: Dated, taken: Split, expiration: ExpirationRules, today: Day): LotsChange {
  const asReward = grantDate(expiration, today, member, 'reward');
  if (expiration.mode !== 'rolling') return grant(member.lots, 0 - total(taken), asReward);
  const dated = taken.map((lot) =>
    lot.expiresOn === 'infinity' ? { ...lot, expiresOn: asReward.expiresOn } : lot,
  );
  return giveBack(member.lots, dated, today);
}
