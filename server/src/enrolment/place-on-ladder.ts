import type { Commerce } from '#commerces/commerce.ts';
import type { LockedMember } from '#points/locked-member.ts';
import { reachedNow, standingAt, tierHeld } from '#tiers/standing.ts';

export interface OnLadder {
  readonly member: LockedMember;
  /** Ranks of the tiers whose benefits enrolling hands out. */
  readonly reached: number[];
}

/**
 * A new member's tier: what the waiting purchases had reached, or the ladder's first. A tier from 0 on is reached by
 * enrolling, whenever the purchases were; a period that ended before is settled, and climbing counts from its end.
 */
export function placeOnLadder(entered: LockedMember, commerce: Commerce): OnLadder {
  const { rules, now } = commerce;
  const { standing: held } = standingAt(entered, rules, now);
  const byEnrolling = !held.expired && tierHeld(held, rules.tiers)?.threshold === 0;
  const standing = byEnrolling ? reachedNow(held, entered.figures, rules, now) : held;
  const ranks = rules.tiers.ladder.map((tier) => tier.rank);
  return {
    member: { ...entered, standing },
    reached: ranks.filter((rank) => standing.rank !== null && rank <= standing.rank),
  };
}
