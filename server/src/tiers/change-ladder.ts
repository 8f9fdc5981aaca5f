import { localDay } from '#calendar/calendar.ts';
import { awaySince } from '#members/away-since.ts';
import type { Member, Standing } from '#members/member.ts';
import type { Rules, Tier, TierRules } from '#program/rules.ts';
import { tierHeld } from './ladder.ts';
import { climb, noTier, periodFrom, settledAt, type Climbed } from './standing.ts';

/**
 * Where a member stands once the program has changed from `before` to `after`. Periods that have ended are settled by
 * the rules of their time. Someone who holds a tier that is gone falls to the highest that remains below it, or to
 * none. Then everyone climbs to what they meet, unless they are away. Nobody falls for any other reason.
 */
export function standingOnNewLadder(
  member: Pick<Member, 'state' | 'leftAt' | 'blockedAt' | 'enrolledAt' | 'standing' | 'figures'>,
  before: Rules,
  after: Rules,
  at: Date,
): Climbed {
  const settled = settledAt(member, before, at);
  const held = onRemainingTier(settled, before.tiers, after.tiers);
  const isAway = awaySince(member) !== null;
  const { standing, reached } = isAway
    ? { standing: held, reached: [] }
    : climb(held, member.figures, after.tiers, at, after.timeZone);
  const dated = withNewValidity(standing, before.tiers, after, at);
  // A tier from 0 on is reached by enrolling, whenever it entered the program.
  const fromZero = dated.tierId !== settled.tierId && tierHeld(dated, after.tiers)?.threshold === 0;
  const reachedAt = fromZero ? (member.enrolledAt ?? dated.reachedAt) : dated.reachedAt;
  return { standing: reachedAt === dated.reachedAt ? dated : { ...dated, reachedAt }, reached };
}

/**
 * A standing of one ladder on another. If its tier is gone, it is on the highest tier of the new ladder that stood below
 * it in the old one; if there is none, nowhere.
 */
export function onRemainingTier(standing: Standing, before: TierRules, after: TierRules): Standing {
  const { tierId, climbBase, climbFrom } = standing;
  const remaining = tierId === null ? null : remainingTier(tierId, before.ladder, after.ladder);
  if (remaining === tierId) return standing;
  return remaining === null ? { ...noTier, climbBase, climbFrom } : { ...standing, tierId: remaining };
}

/**
 * The standing after the program's validity may have changed `at`: the period runs from when the tier was reached, or
 * from the change if that end has passed already, so that no change ends a tier at once.
 */
export function withNewValidity(
  standing: Standing,
  before: TierRules,
  { tiers, timeZone }: Pick<Rules, 'tiers' | 'timeZone'>,
  at: Date,
): Standing {
  if (before.validMonths === tiers.validMonths) return standing;
  if (standing.reachedAt === null || standing.expired || standing.pinned) return standing;
  const today = localDay(at, timeZone);
  const period = periodFrom(localDay(standing.reachedAt, timeZone), tiers);
  const dated = period.expiresOn !== null && period.expiresOn < today ? periodFrom(today, tiers) : period;
  const isSame = dated.expiresOn === standing.expiresOn && dated.periodFrom === standing.periodFrom;
  return isSame ? standing : { ...standing, ...dated };
}

function remainingTier(tierId: string, before: readonly Tier[], after: readonly Tier[]): string | null {
  const remaining = new Set(after.map((tier) => tier.id));
  if (remaining.has(tierId)) return tierId;
  const rank = before.find((tier) => tier.id === tierId)?.rank ?? 0;
  return before.findLast((tier) => tier.rank < rank && remaining.has(tier.id))?.id ?? null;
}
