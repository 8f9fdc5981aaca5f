import { awaySince } from '#members/away-since.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { grantDate } from '#points/expires-on.ts';
import type { NoteFacts } from '#points/note.ts';
import { withMovement, type LockedMember, type MovementFacts } from '#points/locked-member.ts';
import { grant, type Lot } from '#points/lots.ts';
import { climb, standingAt } from './standing.ts';

/** The kind of credit: a reward for an event, or points that somebody brought along. */
export type CreditFacts = Pick<MovementFacts, 'event'> & {
  readonly type: 'reward' | 'adjustment';
  readonly note?: NoteFacts;
};

/**
 * Gives a locked member points without a purchase. They count as earned, also for tiers, and expire like rewards in the
 * program's mode. Returns the member to store and the ids of the tiers reached.
 * @throws BeyondCounting if `hasRoomFor` returns false
 */
export function creditPoints(
  member: LockedMember,
  commerce: Commerce,
  points: number,
  { note, ...facts }: CreditFacts,
): Credited {
  const { rules, today } = commerce;
  const date = grantDate(rules.expiration, today, member, 'reward');
  const snapshot = { rule: rules.version, ...(note && { note }) };
  return withEarned(member, commerce, { ...facts, snapshot }, points, grant(member.lots, points, date).lots);
}

/** The member to store, and the ids of the tiers reached. */
export interface Credited {
  readonly member: LockedMember;
  readonly reached: string[];
}

/**
 * Returns a locked member who holds other lots after points were given or taken without a purchase. The change counts as
 * earned, also for tiers, except that the tier of anyone who has left or is blocked stands still.
 */
export function withEarned(
  member: LockedMember,
  { rules, now, today }: Commerce,
  facts: Omit<MovementFacts, 'at' | 'pointsEarned'>,
  points: number,
  lots: readonly Lot[],
): Credited {
  const held = standingAt(member, rules, now);
  const after = withMovement(member, { ...facts, at: now, pointsEarned: points }, { lots, today });
  if (awaySince(member) !== null) return { member: { ...after, standing: held.standing }, reached: [] };
  const climbed = climb(held.standing, after.figures, rules.tiers, now, rules.timeZone);
  return {
    member: { ...after, standing: climbed.standing },
    reached: [...held.reached, ...climbed.reached],
  };
}
