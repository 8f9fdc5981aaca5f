import type { Benefit } from '#benefits/benefit.ts';
import type { Commerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { hasRoomFor } from '#points/countable.ts';
import type { LockedMember } from '#points/locked-member.ts';
import type { Reward } from '#program/rules.ts';
import { creditPoints } from '#tiers/credit-points.ts';
import { claimRewards } from './claim-reward.ts';
import { handOutBenefits } from './hand-out-benefits.ts';

/** A locked member, and the period of the event that they are rewarded for. */
export interface DueReward {
  readonly member: LockedMember;
  readonly period: string;
}

/** The reward that a member got: points, a benefit, or nothing if it was given before. */
export interface Given {
  /** The member with the movement of the reward. The caller must store it. */
  readonly member: LockedMember;
  readonly points: number | null;
  readonly benefit: Benefit | null;
  /** The ids of the tiers that the points reached. */
  readonly reached: readonly string[];
}

/**
 * Gives a commerce's reward to locked members, once for each event and period. Points count as earned, also towards
 * tiers. A member whose figures have no room for the points gets none. A benefit costs the member no points. Returns
 * what each member got, in the order of `due`. The number of statements does not grow with the number of members.
 */
export async function giveRewards(
  tx: Tx,
  commerce: Commerce,
  reward: Reward,
  event: 'welcome' | 'birthday' | 'monthly_top',
  due: readonly DueReward[],
): Promise<Given[]> {
  const claims = due.map(({ member, period }) => ({ member, event, period, givenAt: commerce.now }));
  if ('points' in reward) {
    const roomy = claims.filter(({ member }) => hasRoomFor(member, reward.points, commerce.today));
    const claimed = new Set((await claimRewards(tx, roomy)).map(({ member }) => member.id));
    return due.map(({ member }) => {
      if (!claimed.has(member.id)) return nothing(member);
      const credited = creditPoints(member, commerce, reward.points, { type: 'reward', event });
      return { ...credited, points: reward.points, benefit: null };
    });
  }

  const { benefitId } = reward;
  const given = await handOutBenefits(
    tx,
    claims.map((claim) => ({ ...claim, benefitId })),
  );
  const benefits = new Map(given.map(({ member, benefit }) => [member.id, benefit]));
  return due.map(({ member }) => ({ ...nothing(member), benefit: benefits.get(member.id) ?? null }));
}

function nothing(member: LockedMember): Given {
  return { member, points: null, benefit: null, reached: [] };
}
