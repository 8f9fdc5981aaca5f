import type { Tx } from '#db/database.ts';
import { invitePeople } from './invite-people.ts';
import { lockMembers } from './lock-members.ts';
import type { Member } from './member.ts';

/**
 * Locks the people with these addresses, and adds a row in state `invited` for each address that is new to the commerce.
 * Someone who is erased while this waits for their row is new too. The addresses must be normalised, and each given once.
 */
export async function lockPeople(
  tx: Tx,
  commerceId: number,
  emails: readonly string[],
): Promise<Map<string, Member>> {
  const people = new Map<string, Member>();
  for (let missing = emails; missing.length > 0; missing = emails.filter((email) => !people.has(email))) {
    const refs = missing.map((email) => ({ commerceId, email }));
    await invitePeople(tx, refs);
    for (const member of await lockMembers(tx, refs)) people.set(member.email!, member);
  }
  return people;
}
