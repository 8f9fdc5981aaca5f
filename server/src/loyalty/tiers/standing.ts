/**
 * A member's place on the ladder of tiers, as figures grow and periods end. A change of figures takes three steps:
 * `settle` applies the periods that have ended, then the figures change, then `climb` applies the tiers reached. Each
 * function returns the same object if nothing changes. Spending points changes no figure here, so it never lowers a
 * tier.
 */
import { addMonths, endOfDay, localDay, type Day } from '#calendar/calendar.ts';
import { awaySince } from '#members/away-since.ts';
import { uncoverStanding, withUncovered } from '#members/cover-standing.ts';
import type { Figures, Member, Standing } from '#members/member.ts';
import type { Rules, TierRules } from '#program/rules.ts';
import { figureOf, tierHeld, tiersAbove } from './ladder.ts';

/** The values that a member's place on the ladder depends on. */
export type Climber = Pick<Member, 'state' | 'leftAt' | 'blockedAt' | 'standing' | 'figures'>;

/** A standing, and the ids of the tiers reached on the way to it, lowest first. */
export interface Climbed {
  readonly standing: Standing;
  readonly reached: readonly string[];
}

/**
 * Returns a member's standing at an instant, for reads, purchases and jobs. Settles ended periods, then climbs to the
 * tiers that the figures already meet (needed for people whose points wait, who were never on the ladder). The standing
 * of anyone who has left or is blocked stays as it was at that moment.
 */
export function standingAt(member: Climber, rules: Rules, at: Date): Climbed {
  const standing = settledAt(member, rules, at);
  if (awaySince(member) !== null) return { standing, reached: [] };
  return climb(standing, member.figures, rules.tiers, at, rules.timeZone);
}

/** Like `standingAt`, but does not climb. */
export function settledAt(member: Climber, { tiers, timeZone }: Rules, at: Date): Standing {
  return settle(member.standing, member.figures, tiers, lastPresent(member, at), timeZone);
}

/** Returns the last instant up to `at` at which time counted for the member: `at` itself unless they are away. */
export function lastPresent(member: Climber, at: Date): Date {
  const since = awaySince(member);
  return since !== null && since < at ? since : at;
}

/**
 * Returns the standing after all periods that have ended by `now`. Each is renewed, moved down or expired, depending on
 * the points or amount earned in the period. `figures` are the lifetime figures of the last change. Every change settles
 * first, so they were the same at each end since. A standing without a last day never ends. If the program sets no
 * validity, no standing ends.
 */
export function settle(
  standing: Standing,
  figures: Figures,
  tiers: TierRules,
  now: Date,
  timeZone: string,
): Standing {
  const { validMonths } = tiers;
  const held = uncoverStanding(standing);
  if (held.expiresOn === null || held.expired || validMonths === null) return standing;
  const today = localDay(now, timeZone);
  let settled = held;
  while (settled.expiresOn !== null && settled.expiresOn < today && !settled.expired) {
    settled = atPeriodEnd(settled, settled.expiresOn, figures, { ...tiers, validMonths }, timeZone);
  }
  return withUncovered(standing, settled);
}

/**
 * Returns the standing after a change of the figures: the highest tier whose threshold they meet, if it is above the one
 * held. An expired tier counts as none. A pinned tier does not move; the climb happens beneath it.
 */
export function climb(
  standing: Standing,
  figures: Figures,
  tiers: TierRules,
  at: Date,
  timeZone: string,
): Climbed {
  const held = uncoverStanding(standing);
  const figure = figureOf(figures, tiers) - figureOf(held.climbBase, tiers);
  const reached = tiersAbove(held, tiers)
    .filter((tier) => tier.threshold <= figure)
    .map((tier) => tier.id);
  const tierId = reached.at(-1);
  if (tierId === undefined) return { standing, reached: [] };
  const climbed = reachedNow({ ...held, tierId, expired: false }, figures, { tiers, timeZone }, at);
  return { standing: withUncovered(standing, climbed), reached };
}

/** Returns a standing whose tier is reached, and whose period begins, at that instant. */
export function reachedNow(
  standing: Standing,
  figures: Figures,
  { tiers, timeZone }: Pick<Rules, 'tiers' | 'timeZone'>,
  at: Date,
): Standing {
  const today = localDay(at, timeZone);
  return { ...standing, reachedAt: at, ...periodFrom(today, tiers), periodBase: figures };
}

/** Returns a period that begins on that day. It has no end if the program sets no validity. */
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
  periodBase: nothing,
  climbBase: nothing,
  climbFrom: null,
  beneath: null,
};

function atPeriodEnd(
  standing: Standing,
  endedOn: Day,
  figures: Figures,
  tiers: TierRules & { readonly validMonths: number },
  timeZone: string,
): Standing {
  // A return of an older purchase can make it negative. That counts as 0, so a tier with threshold 0 stays.
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
 * Returns the next end. It is counted from the very first day, so monthly periods that start on the 31st end on the 31st
 * again after a shorter month.
 */
function endAfter(endedOn: Day, first: Day, months: number): Day {
  return addMonths(first, monthOf(endedOn) - monthOf(first) + months);
}

function monthOf(day: Day): number {
  const [year, month] = day.split('-');
  return 12 * Number(year) + Number(month);
}
