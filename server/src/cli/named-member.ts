import type { Commerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { findMember } from '#members/lock-members.ts';
import type { Member } from '#members/member.ts';
import { normaliseEmail } from '#text/email-address.ts';
import { quote } from '#text/quote.ts';
import { Refusal } from '../refusal.ts';

/** Finds a member by the 9 digits of the card, with or without blanks, or by the e-mail address. */
export async function findNamedMember(
  db: Db,
  { id: commerceId, slug }: Commerce,
  name: string,
): Promise<Member> {
  const digits = name.replaceAll(/[ -]/g, '');
  const email = normaliseEmail(name);
  const found = /^\d{9}$/.test(digits)
    ? await findMember(db, { commerceId, code: Number(digits) })
    : email === null
      ? undefined
      : await findMember(db, { commerceId, email });
  if (found === undefined)
    throw new Refusal(
      `${slug} has no member ${quote(name)}. Give the 9 digits of the card or the e-mail address.`,
    );
  return found;
}
