import type { Commerce } from '#commerces/commerce.ts';
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
  const tier = tierHeld(held, rules.tiers);
  const byEnrolling = !held.expired && tier?.threshold === 0;
  const standing = byEnrolling ? reachedNow(held, entered.figures, rules, now) : held;
  return {
    member: { ...entered, standing },
    reached: rules.tiers.ladder.slice(0, tier?.rank ?? 0).map(({ id }) => id),
  };
}
