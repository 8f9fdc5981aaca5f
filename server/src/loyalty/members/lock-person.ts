import type { Tx } from '#db/database.ts';
import { isErased } from './eligibility.ts';
import { lockMembers } from './lock-members.ts';
import type { Member } from './member.ts';
import { PersonErased, UnknownMember } from './refusals.ts';

/**
 * Locks the person whom staff change, whether invited, a member, blocked, or no member any more.
 * @throws UnknownMember, PersonErased
 */
export async function lockPerson(tx: Tx, commerceId: number, memberId: number): Promise<Member> {
  const [person] = await lockMembers(tx, [{ commerceId, id: memberId }]);
  if (person === undefined) throw new UnknownMember();
  if (isErased(person)) throw new PersonErased();
  return person;
}
