/** What the ladder of a program says about a tier: which one an id names, what lies above it, and what is next. */
import type { Tier, TierRules } from '#program/rules.ts';
import type { Figures, Standing } from '#members/member.ts';

/** The tier that an id names; null where it names none of this ladder. */
export function tierById(tierId: string | null, { ladder }: TierRules): Tier | null {
  return ladder.find((tier) => tier.id === tierId) ?? null;
}

/** The tier that the member holds, expired or not. */
export function tierHeld(standing: Standing, tiers: TierRules): Tier | null {
  return tierById(standing.tierId, tiers);
}

/** How high a standing is: the rank of its tier, 0 with no tier or an expired one. */
export function heightOf(standing: Standing, tiers: TierRules): number {
  return standing.expired ? 0 : (tierHeld(standing, tiers)?.rank ?? 0);
}

/** The tiers above the one held, lowest first; all of them above none or an expired one. */
export function tiersAbove(standing: Standing, tiers: TierRules): readonly Tier[] {
  const height = heightOf(standing, tiers);
  return tiers.ladder.filter((tier) => tier.rank > height);
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

/** What a settled standing climbs to next; null at the top, and where staff have pinned the tier. */
export function nextTier(standing: Standing, tiers: TierRules): NextTier | null {
  const next = standing.pinned ? undefined : tiersAbove(standing, tiers)[0];
  if (next === undefined) return null;
  const threshold = figureOf(standing.climbBase, tiers) + next.threshold;
  return { name: next.name, rank: next.rank, threshold };
}

/** The figure that the thresholds of this ladder are compared with. */
export function figureOf(figures: Figures, tiers: TierRules): number {
  return tiers.thresholdType === 'points' ? figures.points : figures.amount;
}
