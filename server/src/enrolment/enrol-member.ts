import type { Benefit } from '#benefits/benefit.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { enterMember, findOrCreateUser, returnMember } from '#members/enter-member.ts';
import { invitePeople } from '#members/invite-people.ts';
import { lockMember } from '#members/lock-members.ts';
import { withLots } from '#points/locked-member.ts';
import { comeBack } from './come-back.ts';
import { placeOnLadder } from './place-on-ladder.ts';
import { welcomeMembers } from './welcome-members.ts';

/** The result of joining a program. */
export interface Enrolment {
  readonly userId: number;
  readonly memberId: number;
  /** False if the person was a member already. */
  readonly joined: boolean;
  readonly welcomePoints: number | null;
  readonly welcomeBenefit: Benefit | null;
}

/**
 * A person joins a commerce's program, for the first time or again, in the caller's transaction. Points that were
 * waiting for the e-mail address become the member's own. The welcome reward is given only once. Joining while
 * subscribed changes nothing, and blocked members stay blocked. The address must be normalised.
 */
export async function enrolMember(tx: Tx, commerceId: number, email: string): Promise<Enrolment> {
  const userId = await findOrCreateUser(tx, email);
  await invitePeople(tx, [{ commerceId, email }]);
  const before = await lockMember(tx, { commerceId, email });
  const commerce = await readCommerce(tx, commerceId);
  if (before === undefined || commerce === undefined)
    throw new Error('the member or the commerce does not exist');

  const nothing = { userId, memberId: before.id, joined: false, welcomePoints: null, welcomeBenefit: null };
  if (before.state === 'member') return nothing;
  if (before.state === 'left') {
    await returnMember(tx, before);
    await comeBack(tx, before, { ...before, state: 'member', leftAt: null }, commerce);
    return { ...nothing, joined: true };
  }

  const entered = await enterMember(tx, before, userId, email.slice(0, email.indexOf('@')), commerce.now);
  const [member] = await withLots(tx, [entered]);
  const { welcome } = commerce.rules.rewards;
  const placed = placeOnLadder(member!, commerce);
  const { given } = await welcomeMembers(tx, commerce, welcome, [entered], [placed]);
  const { points: welcomePoints, benefit: welcomeBenefit } = given[0]!;
  return { ...nothing, joined: true, welcomePoints, welcomeBenefit };
}
