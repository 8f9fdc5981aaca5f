import type { Commerce } from '#commerces/commerce.ts';
import { grantDate } from '#points/expires-on.ts';
import { withMovement, type LockedMember, type MovementFacts } from '#points/locked-member.ts';
import { grant } from '#points/lots.ts';
import { climb, standingAt } from './standing.ts';

/** The kind of credit: a reward for an event, or an adjustment with its reason. */
export type CreditFacts = Pick<MovementFacts, 'event' | 'note'> & { readonly type: 'reward' | 'adjustment' };

/**
 * Gives a locked member points without a purchase. They count as earned, also for tiers, and expire like rewards in the
 * program's mode. Returns the member to store and the ids of the tiers reached.
 * @throws BeyondCounting if `hasRoomFor` returns false
 */
export function creditPoints(
  member: LockedMember,
  commerce: Commerce,
  points: number,
  facts: CreditFacts,
): { member: LockedMember; reached: string[] } {
  const { rules, now, today } = commerce;
  const held = standingAt(member, rules, now);
  const date = grantDate(rules.expiration, today, member, 'reward');
  const after = withMovement(
    member,
    { ...facts, at: now, pointsEarned: points, snapshot: { rule: rules.version } },
    { lots: grant(member.lots, points, date).lots, today },
  );
  const climbed = climb(held.standing, after.figures, rules.tiers, now, rules.timeZone);
  return { member: { ...after, standing: climbed.standing }, reached: [...held.reached, ...climbed.reached] };
}
