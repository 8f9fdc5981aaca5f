import type { Commerce } from '#commerces/commerce.ts';
import { uncoverStanding, withUncovered } from '#members/cover-standing.ts';
import type { LockedMember } from '#points/locked-member.ts';
import { tierHeld } from '#tiers/ladder.ts';
import { reachedNow, standingAt } from '#tiers/standing.ts';

export interface OnLadder {
  readonly member: LockedMember;
  /** Ids of the tiers whose benefits enrolling hands out. */
  readonly reached: string[];
}

/**
 * A new member's tier: what the waiting purchases had reached, or the ladder's first. A tier from 0 on is reached by
 * enrolling, whenever the purchases were; a period that ended before is settled, and climbing counts from its end.
 */
export function placeOnLadder(entered: LockedMember, commerce: Commerce): OnLadder {
  const { rules, now } = commerce;
  const { standing: held } = standingAt(entered, rules, now);
  const own = uncoverStanding(held);
  const tier = tierHeld(own, rules.tiers);
  const byEnrolling = !own.expired && tier?.threshold === 0;
  const placed = byEnrolling ? reachedNow(own, entered.figures, rules, now) : own;
  const height = Math.max(tier?.rank ?? 0, tierHeld(held, rules.tiers)?.rank ?? 0);
  return {
    member: { ...entered, standing: withUncovered(held, placed) },
    reached: rules.tiers.ladder.slice(0, height).map(({ id }) => id),
  };
}
