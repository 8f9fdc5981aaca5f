/**
 * Where a member stands on the ladder of tiers, as the figures grow and the periods end. A change of figures goes
 * `settle` (what the clock has done since), then the change, then `climb` (what the change reaches). Each gives back
 * the very standing it got where nothing changes. Spending points touches no figure here, so it lowers no tier.
 */
import { addMonths, endOfDay, localDay, type Day } from '#calendar/calendar.ts';
import type { Rules, Tier, TierRules } from '#program/rules.ts';
import type { Figures, Standing } from '#members/member.ts';

/** The standing of someone new: on a ladder that starts at 0 its first tier, reached by enrolling; else none. */
export function firstStanding(tiers: TierRules, at: Date, timeZone: string): Standing {
  const none: Standing = {
    rank: null,
    reachedAt: null,
    expiresOn: null,
    expired: false,
    pinned: false,
    periodBase: nothing,
    climbBase: nothing,
  };
  return climb(none, nothing, tiers, at, timeZone).standing;
}

/**
 * Where a member stands at an instant, before anything new is counted: periods that ended are settled, and what the
 * figures meet already is climbed (someone whose points wait has never stood on the ladder before).
 */
export function standingAt(
  member: { readonly standing: Standing; readonly figures: Figures },
  rules: Rules,
  at: Date,
): { standing: Standing; reached: number[] } {
  const settled = settle(member.standing, member.figures, rules.tiers, at, rules.timeZone);
  return climb(settled, member.figures, rules.tiers, at, rules.timeZone);
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
  if (standing.expiresOn === null || standing.expired || standing.pinned || tiers.validMonths === null) {
    return standing;
  }
  const today = localDay(now, timeZone);
  let settled = standing;
  while (settled.expiresOn !== null && settled.expiresOn < today && !settled.expired) {
    settled = atPeriodEnd(settled, settled.expiresOn, figures, tiers, timeZone);
  }
  return settled;
}

/**
 * The standing after the figures have changed: the highest tier whose threshold they meet, if that is higher than the
 * one held; an expired tier counts as none. `reached` are the ranks passed on the way, lowest first.
 */
export function climb(
  standing: Standing,
  figures: Figures,
  tiers: TierRules,
  at: Date,
  timeZone: string,
): { standing: Standing; reached: number[] } {
  const figure = figureOf(figures, tiers) - figureOf(standing.climbBase, tiers);
  const reached = above(standing, tiers)
    .filter((tier) => tier.threshold <= figure)
    .map((tier) => tier.rank);
  const rank = reached.at(-1);
  if (standing.pinned || rank === undefined) return { standing, reached: [] };
  const climbed = reachedNow({ ...standing, rank, expired: false }, figures, { tiers, timeZone }, at);
  return { standing: climbed, reached };
}

/** A standing whose tier is reached, and whose period begins, at that instant. */
export function reachedNow(
  standing: Standing,
  figures: Figures,
  { tiers, timeZone }: Pick<Rules, 'tiers' | 'timeZone'>,
  at: Date,
): Standing {
  const expiresOn = periodEnd(localDay(at, timeZone), tiers);
  return { ...standing, reachedAt: at, expiresOn, periodBase: figures };
}

/**
 * The standing after a return of the purchase made at `purchasedAt`, to which the member came standing as `before`. A
 * tier that this very purchase had reached falls to the highest that the figures still meet, at the lowest to `before`;
 * one that something else reached is not lowered. `figures` are those after the return.
 */
export function climbDown(
  standing: Standing,
  purchase: { readonly purchasedAt: Date; readonly before: Standing },
  figures: Figures,
  tiers: TierRules,
  now: Date,
  timeZone: string,
): Standing {
  const { purchasedAt, before } = purchase;
  const caused = standing.reachedAt?.getTime() === purchasedAt.getTime() && standing.rank !== before.rank;
  if (!caused || standing.pinned) return standing;
  const figure = figureOf(figures, tiers) - figureOf(before.climbBase, tiers);
  const met = above(before, tiers).findLast(
    (tier) => tier.rank <= standing.rank! && tier.threshold <= figure,
  );
  if (met === undefined) return settle(before, figures, tiers, now, timeZone);
  return met.rank === standing.rank ? standing : { ...standing, rank: met.rank };
}

/**
 * The tier of the ladder that the member holds. Who holds a rank that the program has withdrawn has the highest that
 * is left below it: never worse off than someone who reached less.
 */
export function tierHeld(standing: Standing, tiers: TierRules): Tier | null {
  const { rank } = standing;
  return rank === null ? null : (tiers.ladder.findLast((tier) => tier.rank <= rank) ?? null);
}

/** The tier of a settled standing whose multiplier counts: none with no tier or an expired one. */
export function tierThatCounts(standing: Standing, tiers: TierRules): Tier | null {
  return standing.expired ? null : tierHeld(standing, tiers);
}

export interface NextTier {
  readonly name: string;
  readonly rank: number;
  /** The lifetime figure at which it is reached. */
  readonly threshold: number;
}

/** What a settled standing climbs to next; null at the top, and where staff's word holds the tier. */
export function nextTier(standing: Standing, tiers: TierRules): NextTier | null {
  const next = standing.pinned ? undefined : above(standing, tiers)[0];
  if (next === undefined) return null;
  const threshold = figureOf(standing.climbBase, tiers) + next.threshold;
  return { name: next.name, rank: next.rank, threshold };
}

/**
 * The standing after the program's validity has changed `at`: the period runs from when the tier was reached, or from
 * the change where that end has passed already, so that no change ends a tier at once.
 */
export function withValidity(standing: Standing, tiers: TierRules, at: Date, timeZone: string): Standing {
  if (standing.reachedAt === null || standing.expired || standing.pinned) return standing;
  const today = localDay(at, timeZone);
  const end = periodEnd(localDay(standing.reachedAt, timeZone), tiers);
  const expiresOn = end !== null && end < today ? periodEnd(today, tiers) : end;
  return expiresOn === standing.expiresOn ? standing : { ...standing, expiresOn };
}

const nothing: Figures = { points: 0, amount: 0 };

function figureOf(figures: Figures, tiers: TierRules): number {
  return tiers.thresholdType === 'points' ? figures.points : figures.amount;
}

/** The tiers above the one held; all of them above none or an expired one. */
function above(standing: Standing, tiers: TierRules): readonly Tier[] {
  const floor = standing.expired ? 0 : (standing.rank ?? 0);
  return tiers.ladder.filter((tier) => tier.rank > floor);
}

function periodEnd(from: Day, tiers: TierRules): Day | null {
  return tiers.validMonths === null ? null : addMonths(from, tiers.validMonths);
}

function atPeriodEnd(
  standing: Standing,
  endedOn: Day,
  figures: Figures,
  tiers: TierRules,
  timeZone: string,
): Standing {
  // A return of an older purchase can make it negative: nothing was earned then, and a tier from 0 on stays.
  const figure = Math.max(0, figureOf(figures, tiers) - figureOf(standing.periodBase, tiers));
  const rank = standing.rank ?? 0;
  const met = tiers.ladder.findLast((tier) => tier.rank <= rank && tier.threshold <= figure);
  if (met === undefined) return { ...standing, expired: true, periodBase: figures, climbBase: figures };
  const expiresOn = periodEnd(endedOn, tiers);
  if (met.rank === rank) return { ...standing, expiresOn, periodBase: figures };
  const reachedAt = endOfDay(endedOn, timeZone);
  return { ...standing, rank: met.rank, reachedAt, expiresOn, periodBase: figures, climbBase: figures };
}
