import { sql, type Db } from '#db/database.ts';
import { memberColumns, memberOf, type Member, type MemberRow } from './member.ts';
import { newMemberCode } from './member-code.ts';

/** The account of an address, made where there is none. Gives its id. */
export async function findOrCreateUser(db: Db, email: string): Promise<number> {
  await sql`insert into users (email) values (${email}) on conflict do nothing`.execute(db);
  const { rows } = await sql<{ id: number }>`select id from users where email = ${email}`.execute(db);
  return rows[0]!.id;
}

/**
 * Turns a locked row in state `invited` into a member: gives it a code, the next place in the list and its
 * account. A code that exists already fails the transaction, which is then run again with another.
 */
export async function enterMember(
  db: Db,
  invited: Member,
  userId: number,
  username: string,
  at: Date,
): Promise<Member> {
  const { rows } = await sql<MemberRow>`
    with enrolment as (
      insert into enrolments (commerce_id, total) values (${invited.commerceId}, 1)
          on conflict (commerce_id) do update set total = enrolments.total + 1
      returning total
    )
    update members m
       set state = 'member', user_id = ${userId}, code = ${newMemberCode()}, ordinal = enrolment.total,
           username = coalesce(m.username, ${username}), enrolled_at = ${at}
      from enrolment
     where m.commerce_id = ${invited.commerceId} and m.id = ${invited.id}
    returning ${memberColumns}`.execute(db);
  return memberOf(rows[0]!);
}

/** Someone who left is a member again; points and codes were kept. The row must be locked. */
export async function returnMember(db: Db, left: Member): Promise<void> {
  await sql`
    update members
       set state = 'member', left_at = null
     where commerce_id = ${left.commerceId} and id = ${left.id}`.execute(db);
}
