/** The last day on which granted points are good, by the program's mode. */
import { addMonths, type Day } from '#calendar/calendar.ts';
import type { ExpirationRules } from '#program/rules.ts';
import type { LotDate } from './lots.ts';

/** The trade uses 'rolling' and 'accumulated' both ways; what each label does here is said in this one place. */
const engines = {
  none: 'never',
  rolling: 'each grant by itself',
  accumulated: 'the whole balance',
} as const satisfies Record<ExpirationRules['mode'], string>;

/**
 * Where points land that are granted `today`. `movedOn` is the local day of the member's last purchase or exchange
 * before this grant, null where there was none.
 */
export function grantDate(
  expiration: ExpirationRules,
  today: Day,
  movedOn: Day | null,
  cause: 'purchase' | 'reward',
): LotDate {
  const engine = engines[expiration.mode];
  if (engine === 'never') return { expiresOn: 'infinity', moving: false };

  const monthsOn = addMonths(today, expiration.months);
  if (engine === 'each grant by itself') return { expiresOn: monthsOn, moving: false };

  // A reward moves nothing: while the balance has a date, it shares that one.
  const current = movedOn === null ? null : addMonths(movedOn, expiration.months);
  const shared = cause === 'reward' && current !== null && current >= today;
  return { expiresOn: shared ? current : monthsOn, moving: true };
}

/** The day to which a purchase or exchange made `today` moves the balance; null where it moves nothing. */
export function movedTo(expiration: ExpirationRules, today: Day): Day | null {
  const date = grantDate(expiration, today, null, 'purchase');
  return date.moving ? date.expiresOn : null;
}
