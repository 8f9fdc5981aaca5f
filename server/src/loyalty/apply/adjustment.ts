import { isDeepStrictEqual } from 'node:util';
import type { Commerce } from '#commerces/commerce.ts';
import type { Standing } from '#members/member.ts';
import type { LockedMember } from '#points/locked-member.ts';
import { rulesOf } from '#program/compile-rules.ts';
import type { Program } from '#program/program.ts';
import { standingOnNewLadder } from '#tiers/change-ladder.ts';
import { settledAt, type Climbed } from '#tiers/standing.ts';
import { isExpiryChanged, redatePoints } from './redate-points.ts';

/** The effect of a change of the program on a commerce's members. */
export interface Adjustment {
  /** False if the change leaves every member as they are. */
  readonly movesMembers: boolean;
  adjust(member: LockedMember): Adjusted;
}

export interface Adjusted {
  readonly member: LockedMember;
  /** The ids of the tiers that the member reached. */
  readonly reached: readonly string[];
  readonly move: Move | null;
}

/** The effect on a member, in the operator's words. */
export type Move =
  | 'members who reach a higher tier'
  | 'members who fall to a lower tier because theirs is removed'
  | 'members who are left without a tier'
  | 'members whose tier ends on another day'
  | "members who get a tier's benefit";

/**
 * Returns how members move from the rules of one program to those of the next, at the commerce's time. A new ladder lifts
 * anyone who meets its thresholds and lowers only members whose tier is gone. New expiry rules or another time zone give the
 * points that members hold new dates, but no points expire sooner.
 * @param commerce with the program that takes the place of `before`
 */
export function createAdjustment(before: Program, commerce: Commerce): Adjustment {
  const oldRules = rulesOf(before, commerce.rules.version - 1);
  const tiersChanged = !isDeepStrictEqual(movesOf(before), movesOf(commerce.program));
  const expiryChanged = isExpiryChanged(oldRules, commerce.rules);
  return {
    movesMembers: tiersChanged || expiryChanged,
    adjust(member) {
      const redated = expiryChanged ? redatePoints(member, commerce, oldRules) : member;
      if (!tiersChanged) return { member: redated, reached: [], move: null };
      const settled = settledAt(redated, oldRules, commerce.now);
      const changed = standingOnNewLadder(redated, oldRules, commerce.rules, commerce.now);
      return {
        member: { ...redated, standing: changed.standing },
        reached: changed.reached,
        move: moveBetween(settled, changed),
      };
    },
  };
}

/** Returns the parts of the ladder that decide a member's tier; names, pictures and multipliers do not. */
function movesOf({ levels }: Program): unknown {
  const { threshold_type, valid_months, ladder } = levels;
  return [threshold_type, valid_months, ladder.map(({ id, threshold }) => [id, threshold])];
}

function moveBetween(before: Standing, { standing: after, reached }: Climbed): Move | null {
  if (after.tierId === before.tierId && after.expired === before.expired)
    return after.expiresOn === before.expiresOn ? null : 'members whose tier ends on another day';
  if (reached.length > 0) return 'members who reach a higher tier';
  if (after.tierId === null) return 'members who are left without a tier';
  return 'members who fall to a lower tier because theirs is removed';
}

/** Counts the members of each kind of move. */
export function createMoveCount() {
  const counts = new Map<Move, number>();
  return {
    add(move: Move | null, members = 1): void {
      if (move !== null && members > 0) counts.set(move, (counts.get(move) ?? 0) + members);
    },
    /** One line for each kind. */
    lines: (): string[] => [...counts].map(([move, members]) => `${move}: ${members}`),
  };
}
