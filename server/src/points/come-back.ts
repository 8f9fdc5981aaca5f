import { addMonths, type Day } from '#calendar/calendar.ts';
import type { ExpirationRules } from '#program/rules.ts';
import { grantDate } from './expires-on.ts';
import { giveBack, type Lot, type LotsChange, type Split } from './lots.ts';

/**
 * Points that an exchange took come back: to the days they came from, and where a day has passed to a grace of 30
 * days. Where the program's mode has changed since, they come back as what was held at the change: undated points get
 * the day of a reward given today, dates move as all others do, and where nothing expires any more they get none.
 */
export function comeBack(
  lots: readonly Lot[],
  taken: Split,
  expiration: ExpirationRules,
  today: Day,
  movedOn: Day | null,
): LotsChange {
  if (expiration.mode === 'none') return giveBack(lots, taken, today, { currentDay: 'infinity' });
  const moving = expiration.mode === 'accumulated';
  const ofToday = grantDate(expiration, today, movedOn, 'reward').expiresOn;
  const dated = taken.map(({ expiresOn, points }) => ({
    expiresOn: expiresOn === 'infinity' ? ofToday : expiresOn,
    moving,
    points,
  }));
  const currentDay = moving && movedOn !== null ? addMonths(movedOn, expiration.months) : null;
  return giveBack(lots, dated, today, { currentDay });
}
