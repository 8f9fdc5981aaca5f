import { localDay } from '#calendar/calendar.ts';
import { awaySince } from '#members/away-since.ts';
import { coverStanding } from '#members/cover-standing.ts';
import type { Figures, Member, Standing } from '#members/member.ts';
import type { Rules, Tier, TierRules } from '#program/rules.ts';
import { tierHeld } from './ladder.ts';
import { climb, noTier, periodFrom, settledAt, type Climbed } from './standing.ts';

/**
 * Returns a member's standing after a change of the program from `before` to `after`. Ended periods are settled by the
 * old rules. A member whose tier was removed falls to the highest remaining tier below it, or to none. Then all members
 * climb to the highest tier that they qualify for, unless they are away. Nobody falls for any other reason. A pinned tier
 * stays, unless it was removed; all of this happens beneath it.
 */
export function standingOnNewLadder(
  member: Pick<Member, 'state' | 'leftAt' | 'blockedAt' | 'enrolledAt' | 'standing' | 'figures'>,
  before: Rules,
  after: Rules,
  at: Date,
): Climbed {
  const { beneath } = member.standing;
  if (beneath !== null) {
    const changed = standingOnNewLadder({ ...member, standing: beneath }, before, after, at);
    return { ...changed, standing: pinOnNewLadder(member.standing, changed.standing, before, after) };
  }
  const settled = settledAt(member, before, at);
  const held = onRemainingTier(settled, before.tiers, after.tiers);
  const isAway = awaySince(member) !== null;
  const { standing, reached } = isAway
    ? { standing: held, reached: [] }
    : climb(held, member.figures, after.tiers, at, after.timeZone);
  const dated = withNewValidity(standing, member.figures, before.tiers, after, at);
  // Enrolling reaches a tier with threshold 0, even if the tier was added to the program later.
  const fromZero = dated.tierId !== settled.tierId && tierHeld(dated, after.tiers)?.threshold === 0;
  const reachedAt = fromZero ? (member.enrolledAt ?? dated.reachedAt) : dated.reachedAt;
  return { standing: reachedAt === dated.reachedAt ? dated : { ...dated, reachedAt }, reached };
}

/** A pin whose tier was removed moves to the tier below it. If there is none, the pin ends. */
function pinOnNewLadder(
  { tierId, reachedAt }: Standing,
  beneath: Standing,
  { tiers: { ladder: before } }: Rules,
  { tiers: { ladder: after } }: Rules,
): Standing {
  const remaining = tierId === null ? null : remainingTier(tierId, before, after);
  return tierId !== null && remaining === null ? beneath : coverStanding(beneath, remaining, reachedAt);
}

/**
 * Translates a standing from one ladder to another. If its tier was removed, it moves to the highest tier of the new
 * ladder that was below it in the old one, or to none.
 */
export function onRemainingTier(standing: Standing, before: TierRules, after: TierRules): Standing {
  const { tierId, climbBase, climbFrom } = standing;
  const remaining = tierId === null ? null : remainingTier(tierId, before.ladder, after.ladder);
  if (remaining === tierId) return standing;
  return remaining === null ? { ...noTier, climbBase, climbFrom } : { ...standing, tierId: remaining };
}

/**
 * Returns the standing after a possible change of the program's validity `at` that instant. The period runs from when the
 * tier was reached. If it would have ended already, it runs from the change, so no change ends a tier at once, and only what is earned from
 * then on counts in it.
 */
export function withNewValidity(
  standing: Standing,
  figures: Figures,
  before: TierRules,
  after: Pick<Rules, 'tiers' | 'timeZone'>,
  at: Date,
): Standing {
  const { period, beginsNow } = periodOnNewValidity(standing, before, after, at);
  if (beginsNow) return { ...standing, ...period, periodBase: figures };
  const isSame = period.expiresOn === standing.expiresOn && period.periodFrom === standing.periodFrom;
  return isSame ? standing : { ...standing, ...period };
}

type Period = Pick<Standing, 'periodFrom' | 'expiresOn'>;

/** Returns the period of a standing after a possible change of the validity, and whether it begins with the change. */
export function periodOnNewValidity(
  { reachedAt, periodFrom: from, expiresOn, expired }: Standing,
  before: TierRules,
  { tiers, timeZone }: Pick<Rules, 'tiers' | 'timeZone'>,
  at: Date,
): { readonly period: Period; readonly beginsNow: boolean } {
  if (before.validMonths === tiers.validMonths || reachedAt === null || expired)
    return { period: { periodFrom: from, expiresOn }, beginsNow: false };
  const today = localDay(at, timeZone);
  const period = periodFrom(localDay(reachedAt, timeZone), tiers);
  const isOver = period.expiresOn !== null && period.expiresOn < today;
  return { period: isOver ? periodFrom(today, tiers) : period, beginsNow: isOver };
}

function remainingTier(tierId: string, before: readonly Tier[], after: readonly Tier[]): string | null {
  const remaining = new Set(after.map((tier) => tier.id));
  if (remaining.has(tierId)) return tierId;
  const rank = before.find((tier) => tier.id === tierId)?.rank ?? 0;
  return before.findLast((tier) => tier.rank < rank && remaining.has(tier.id))?.id ?? null;
}
