/** The last day on which granted points are valid, by the program's mode. */
import { addMonths, type Day } from '#calendar/calendar.ts';
import type { ExpirationRules } from '#program/rules.ts';
import { later, type Lot, type LotDate } from './lots.ts';

/** The industry uses 'rolling' and 'accumulated' for either meaning. This is the one place that defines them here. */
const engines = {
  none: 'never',
  rolling: 'each grant by itself',
  accumulated: 'the whole balance',
} as const satisfies Record<ExpirationRules['mode'], string>;

/** The values that the date of a member's balance depends on. */
export interface Dated {
  readonly lots: readonly Lot[];
  /** Local day of the last purchase or exchange. */
  readonly movedOn: Day | null;
}

/** Returns the date of points that are granted to a member `today`. */
export function grantDate(
  expiration: ExpirationRules,
  today: Day,
  member: Dated,
  cause: 'purchase' | 'reward',
): LotDate {
  const engine = engines[expiration.mode];
  if (engine === 'never') return { expiresOn: 'infinity', moving: false };

  const monthsOn = addMonths(today, expiration.months);
  if (engine === 'each grant by itself') return { expiresOn: monthsOn, moving: false };

  const shared = balanceDate(expiration, today, member);
  if (shared === null) return { expiresOn: monthsOn, moving: true };
  if (cause === 'reward') return { expiresOn: shared, moving: true };
  // If a purchase is reported late, its points may have expired before the next purchase could move them.
  const isGone = member.movedOn !== null && monthsOn < member.movedOn;
  return { expiresOn: isGone ? monthsOn : later(monthsOn, shared), moving: true };
}

/**
 * Returns the date of an accumulated balance: the date of the points held, or else the one set by the last purchase or
 * exchange. Null if both are past or neither exists.
 */
function balanceDate({ months }: ExpirationRules, today: Day, { lots, movedOn }: Dated): Day | null {
  const held = lots.findLast((lot) => lot.moving && lot.expiresOn >= today);
  if (held !== undefined) return held.expiresOn;
  const set = movedOn === null ? null : addMonths(movedOn, months);
  return set !== null && set >= today ? set : null;
}
