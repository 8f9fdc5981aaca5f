/**
 * Where a member stands on the ladder of tiers, as figures grow and periods end. A change of figures goes through
 * `settle` (what the clock has done since), then the change itself, then `climb` (what the change reaches). Each
 * returns the very standing it was given if nothing changes. Spending points changes no figure here, so it never
 * lowers a tier.
 */
import { addMonths, endOfDay, localDay, type Day } from '#calendar/calendar.ts';
import { awaySince } from '#members/away-since.ts';
import type { Figures, Member, Standing } from '#members/member.ts';
import type { Rules, TierRules } from '#program/rules.ts';
import { figureOf, tierHeld, tiersAbove } from './ladder.ts';

/** What a member's place on the ladder follows from. */
export type Climber = Pick<Member, 'state' | 'leftAt' | 'blockedAt' | 'standing' | 'figures'>;

/** A standing, and the ids of the tiers that were reached on the way to it, lowest first. */
export interface Climbed {
  readonly standing: Standing;
  readonly reached: readonly string[];
}

/**
 * Where a member stands at an instant, for whoever reads, buys or runs a job: ended periods are settled, and what the
 * figures meet already is climbed (someone whose points wait has never stood on the ladder before). Anyone who has
 * left or is blocked stands as at that moment.
 */
export function standingAt(member: Climber, rules: Rules, at: Date): Climbed {
  const standing = settledAt(member, rules, at);
  if (awaySince(member) !== null) return { standing, reached: [] };
  return climb(standing, member.figures, rules.tiers, at, rules.timeZone);
}

/** As `standingAt`, before anything is climbed. */
export function settledAt(member: Climber, { tiers, timeZone }: Rules, at: Date): Standing {
  return settle(member.standing, member.figures, tiers, lastPresent(member, at), timeZone);
}

/** The last instant up to `at` at which the clock counted for the member: `at` itself unless they are away. */
export function lastPresent(member: Climber, at: Date): Date {
  const since = awaySince(member);
  return since !== null && since < at ? since : at;
}

/** The standing of someone new: on a ladder that starts at 0 its first tier, reached by enrolling; else none. */
export function firstStanding(tiers: TierRules, at: Date, timeZone: string): Standing {
  return climb(noTier, nothing, tiers, at, timeZone).standing;
}

/**
 * The standing after every period that has ended by `now`: renewed, moved down or expired, by what was earned inside
 * the period. `figures` are the lifetime figures of the last change; as every change settles first, they held at each
 * end since. A standing without a last day has no end, and none has one while the program sets no validity.
 */
export function settle(
  standing: Standing,
  figures: Figures,
  tiers: TierRules,
  now: Date,
  timeZone: string,
): Standing {
  const { validMonths } = tiers;
  if (standing.expiresOn === null || standing.expired || standing.pinned || validMonths === null) {
    return standing;
  }
  const today = localDay(now, timeZone);
  let settled = standing;
  while (settled.expiresOn !== null && settled.expiresOn < today && !settled.expired) {
    settled = atPeriodEnd(settled, settled.expiresOn, figures, { ...tiers, validMonths }, timeZone);
  }
  return settled;
}

/**
 * The standing after the figures have changed: the highest tier whose threshold they meet, if that is higher than the
 * one held; an expired tier counts as none.
 */
export function climb(
  standing: Standing,
  figures: Figures,
  tiers: TierRules,
  at: Date,
  timeZone: string,
): Climbed {
  const figure = figureOf(figures, tiers) - figureOf(standing.climbBase, tiers);
  const reached = tiersAbove(standing, tiers)
    .filter((tier) => tier.threshold <= figure)
    .map((tier) => tier.id);
  const tierId = reached.at(-1);
  if (standing.pinned || tierId === undefined) return { standing, reached: [] };
  const climbed = reachedNow({ ...standing, tierId, expired: false }, figures, { tiers, timeZone }, at);
  return { standing: climbed, reached };
}

/** A standing whose tier is reached, and whose period begins, at that instant. */
export function reachedNow(
  standing: Standing,
  figures: Figures,
  { tiers, timeZone }: Pick<Rules, 'tiers' | 'timeZone'>,
  at: Date,
): Standing {
  const today = localDay(at, timeZone);
  return { ...standing, reachedAt: at, ...periodFrom(today, tiers), periodBase: figures };
}

/** A period that begins on that day; it has no end where the program sets no validity. */
export function periodFrom(day: Day, { validMonths }: TierRules): Pick<Standing, 'periodFrom' | 'expiresOn'> {
  return { periodFrom: day, expiresOn: validMonths === null ? null : addMonths(day, validMonths) };
}

export const nothing: Figures = { points: 0, amount: 0 };

export const noTier: Standing = {
  tierId: null,
  reachedAt: null,
  periodFrom: null,
  expiresOn: null,
  expired: false,
  pinned: false,
  periodBase: nothing,
  climbBase: nothing,
  climbFrom: null,
};

function atPeriodEnd(
  standing: Standing,
  endedOn: Day,
  figures: Figures,
  tiers: TierRules & { readonly validMonths: number },
  timeZone: string,
): Standing {
  // A return of an older purchase can make it negative: nothing was earned then, and a tier from 0 on stays.
  const figure = Math.max(0, figureOf(figures, tiers) - figureOf(standing.periodBase, tiers));
  const held = tierHeld(standing, tiers);
  const met = tiers.ladder.findLast((tier) => tier.rank <= (held?.rank ?? 0) && tier.threshold <= figure);
  const counting = { periodBase: figures, climbBase: figures, climbFrom: endOfDay(endedOn, timeZone) };
  if (met === undefined) return { ...standing, expired: true, ...counting };
  if (met === held) {
    const expiresOn = endAfter(endedOn, firstDay(standing, timeZone), tiers.validMonths);
    return { ...standing, expiresOn, periodBase: figures };
  }
  const reachedAt = endOfDay(endedOn, timeZone);
  return { ...standing, tierId: met.id, reachedAt, ...periodFrom(endedOn, tiers), ...counting };
}

function firstDay({ periodFrom, reachedAt, expiresOn }: Standing, timeZone: string): Day {
  return periodFrom ?? (reachedAt === null ? expiresOn! : localDay(reachedAt, timeZone));
}

/**
 * The end after that one. Counted from the first day of all, so that month-long periods from the 31st on end on the
 * 31st again after a shorter month.
 */
function endAfter(endedOn: Day, first: Day, months: number): Day {
  return addMonths(first, monthOf(endedOn) - monthOf(first) + months);
}

function monthOf(day: Day): number {
  const [year, month] = day.split('-');
  return 12 * Number(year) + Number(month);
}
