import type { Audited } from '#audit/audited.ts';
import type { Tx } from '#db/database.ts';
import { editProfile, type ProfileEdit } from '#members/edit-profile.ts';
import { lockPerson } from '#members/lock-person.ts';
import { lookAgainAtPasses } from '#wallets/passes-of-member.ts';

/**
 * Staff change the profile of a person, by the rule by which members change their own. People whose points wait have a profile
 * too. Repeating the same change changes nothing.
 * @throws UnknownMember, PersonErased, NotABirthDate
 */
export async function editPerson(
  tx: Tx,
  commerceId: number,
  memberId: number,
  edit: ProfileEdit,
): Promise<Audited<{ changed: (keyof ProfileEdit)[] }>> {
  const person = await lockPerson(tx, commerceId, memberId);
  const edited = await editProfile(tx, commerceId, person, edit);
  if (edited.entry !== null) await lookAgainAtPasses(tx, commerceId, memberId);
  return edited;
}
