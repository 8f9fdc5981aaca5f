import type { Commerce } from '#commerces/commerce.ts';
import type { LockedMember } from '#points/locked-member.ts';
import { firstStanding, standingAt, tierHeld } from '#tiers/standing.ts';

export interface OnLadder {
  readonly member: LockedMember;
  /** Ranks of the tiers whose benefits enrolling hands out. */
  readonly reached: number[];
}

/** A new member's tier: the ladder's first, reached by enrolling, or what the waiting purchases had reached. */
export function placeOnLadder(entered: LockedMember, commerce: Commerce): OnLadder {
  const { rules, now } = commerce;
  const fromZero = (tierHeld(entered.standing, rules.tiers)?.threshold ?? 0) === 0;
  const start = fromZero ? firstStanding(rules.tiers, now, rules.timeZone) : entered.standing;
  const { standing } = standingAt({ figures: entered.figures, standing: start }, rules, now);
  const held = rules.tiers.ladder.filter((tier) => standing.rank !== null && tier.rank <= standing.rank);
  return { member: { ...entered, standing }, reached: held.map((tier) => tier.rank) };
}
