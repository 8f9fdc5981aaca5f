/** Look-ups in the ladder of a program: a tier by its id, the tiers above it, and the next one. */
import type { Tier, TierRules } from '#program/rules.ts';
import type { Figures, Standing } from '#members/member.ts';

/** Returns the tier with this id; null if the ladder has none. */
export function tierById(tierId: string | null, { ladder }: TierRules): Tier | null {
  return ladder.find((tier) => tier.id === tierId) ?? null;
}

/** Returns the tier that the member holds, expired or not. */
export function tierHeld(standing: Standing, tiers: TierRules): Tier | null {
  return tierById(standing.tierId, tiers);
}

/** Returns the rank of the tier; 0 if there is none or it has expired. */
export function heightOf(standing: Standing, tiers: TierRules): number {
  return standing.expired ? 0 : (tierHeld(standing, tiers)?.rank ?? 0);
}

/** Returns the tiers above the one held, lowest first; all tiers if there is none or it has expired. */
export function tiersAbove(standing: Standing, tiers: TierRules): readonly Tier[] {
  const height = heightOf(standing, tiers);
  return tiers.ladder.filter((tier) => tier.rank > height);
}

/** Returns the tier of a settled standing whose multiplier applies; null if there is none or it has expired. */
export function tierThatCounts(standing: Standing, tiers: TierRules): Tier | null {
  return standing.expired ? null : tierHeld(standing, tiers);
}

export interface NextTier {
  readonly id: string;
  readonly name: string;
  readonly rank: number;
  /** The lifetime figure at which it is reached. */
  readonly threshold: number;
}

/** Returns the next tier of a settled standing; null at the top or if staff have pinned the tier. */
export function nextTier(standing: Standing, tiers: TierRules): NextTier | null {
  const next = standing.beneath !== null ? undefined : tiersAbove(standing, tiers)[0];
  if (next === undefined) return null;
  const threshold = figureOf(standing.climbBase, tiers) + next.threshold;
  return { id: next.id, name: next.name, rank: next.rank, threshold };
}

/** Returns the figure that the thresholds of this ladder are compared with. */
export function figureOf(figures: Figures, tiers: TierRules): number {
  return tiers.thresholdType === 'points' ? figures.points : figures.amount;
}
