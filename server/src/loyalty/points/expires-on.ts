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

/** The facts that decide the date of a balance. */
export interface Dated {
  readonly lots: readonly Lot[];
  /** The local day of the last purchase or exchange. */
  readonly movedOn: Day | null;
}

/** Returns where points land that a member is granted `today`. */
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
  // The points of a purchase that is reported late may have expired before the next purchase could move them.
  const isGone = member.movedOn !== null && monthsOn < member.movedOn;
  return { expiresOn: isGone ? monthsOn : later(monthsOn, shared), moving: true };
}

/**
 * Returns the one date of an accumulated balance: the date of the points held, or if there are none, the date that the
 * last purchase or exchange has set. Null if there is no such date, or it has passed.
 */
function balanceDate({ months }: ExpirationRules, today: Day, { lots, movedOn }: Dated): Day | null {
  const held = lots.findLast((lot) => lot.moving && lot.expiresOn >= today);
  if (held !== undefined) return held.expiresOn;
  const set = movedOn === null ? null : addMonths(movedOn, months);
  return set !== null && set >= today ? set : null;
}
