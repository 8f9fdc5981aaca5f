import type { Benefit } from '#benefits/benefit.ts';
import { readCommerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import { enterMember, findOrCreateUser, returnMember } from '#members/enter-member.ts';
import { isActive } from '#members/eligibility.ts';
import { lockPeople } from '#members/lock-people.ts';
import { comeBack } from './come-back.ts';
import { welcomeMember } from './welcome-members.ts';

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
 * subscribed changes nothing. Blocked people join too and stay blocked: they are welcomed when staff unblock them. The address
 * must be normalised.
 */
export async function enrolMember(tx: Tx, commerceId: number, email: string): Promise<Enrolment> {
  const userId = await findOrCreateUser(tx, email);
  const before = (await lockPeople(tx, commerceId, [email])).get(email)!;
  const commerce = await readCommerce(tx, commerceId);
  if (commerce === undefined) throw new Error('the commerce does not exist');

  const nothing = { userId, memberId: before.id, joined: false, welcomePoints: null, welcomeBenefit: null };
  if (before.state === 'member') return nothing;
  if (before.state === 'left') {
    await returnMember(tx, before, commerce.now);
    await comeBack(tx, before, { ...before, state: 'member', leftAt: null }, commerce);
    return { ...nothing, joined: true };
  }

  const entered = await enterMember(tx, before, userId, email.slice(0, email.indexOf('@')), commerce.now);
  if (!isActive(entered)) return { ...nothing, joined: true };
  const { points: welcomePoints, benefit: welcomeBenefit } = await welcomeMember(tx, commerce, entered);
  return { ...nothing, joined: true, welcomePoints, welcomeBenefit };
}
