import type { Commerce } from '#commerces/commerce.ts';
import type { Standing } from '#members/member.ts';
import { heightOf } from './ladder.ts';

/** A change of the tier that a member holds. */
export interface TierStep {
  readonly isUp: boolean;
  /** When it happened, which is when it is noticed unless a period ended or a purchase reached it. */
  readonly at: Date;
}

/**
 * Returns the step from one standing to another; null if the tier is the same and neither has expired. A tier that the ladder has no
 * more was lost.
 */
export function stepBetween(
  before: Standing,
  standing: Standing,
  { rules, now }: Pick<Commerce, 'rules' | 'now'>,
): TierStep | null {
  if (standing.tierId === before.tierId && standing.expired === before.expired) return null;
  const isGone = before.tierId !== null && !rules.tiers.ladder.some(({ id }) => id === before.tierId);
  const isUp = !isGone && heightOf(standing, rules.tiers) > heightOf(before, rules.tiers);
  const { reachedAt, climbFrom } = standing;
  const fellAt = climbFrom?.getTime() === before.climbFrom?.getTime() ? null : climbFrom;
  return { isUp, at: (isUp ? reachedAt : fellAt) ?? now };
}
