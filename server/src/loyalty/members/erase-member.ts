import { sql, type Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';
import type { Member } from './member.ts';

/**
 * Locks the account of an address against sign-ins and imports. Comes before the lock of the member, as it does at a sign-in.
 * Returns null if there is none.
 */
export async function lockAccount(tx: Tx, email: string): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`-- lock-account
    select id from users where email = ${email} for update`.execute(tx);
  return rows[0]?.id ?? null;
}

/** Leaves of a locked person a row without a name, which the books refer to. Erasing is final: an address finds it no more. */
export async function eraseMember(tx: Tx, { commerceId, id }: Member, at: Date): Promise<void> {
  await sql`-- erase-member
    update members
       set erased_at = ${at}, email = null, user_id = null, username = null, phone = null, birth_date = null,
           birth_date_set_at = null, block_reason = null, remainder = null, remainder_since = null,
           state = case when state = 'member' then 'left' else state end,
           left_at = case when state = 'member' then ${at} else left_at end
     where commerce_id = ${commerceId} and id = ${id}`.execute(tx);
  await storeHappenings(tx, [{ type: 'member.erased', commerceId, memberId: id, at }]);
}

/** Where else an address is used. */
export interface UsedElsewhere {
  /** Its account is a member, or was one, of another commerce. */
  readonly account: boolean;
  /** Another commerce knows the address, if only for points that wait, or it belongs to somebody of a shop's staff. */
  readonly address: boolean;
}

/** The account must be locked, so that it joins nowhere meanwhile. */
export async function findOtherUses(tx: Tx, commerceId: number, email: string): Promise<UsedElsewhere> {
  // One index lookup for each commerce.
  const { rows } = await sql<UsedElsewhere>`-- find-other-uses
    select used.account, used.address or staff.people > 0 as address
      from (select count(*) as people from staff_people where email = ${email}) staff,
           (select coalesce(bool_or(m.user_id is not null), false) as account, count(*) > 0 as address
              from commerces c
              join members m on m.commerce_id = c.id and m.email = ${email}
             where c.id <> ${commerceId}) used`.execute(tx);
  return rows[0]!;
}

/** Deletes an account that no commerce uses. Its sessions must be gone. */
export async function eraseAccount(tx: Tx, userId: number): Promise<void> {
  await sql`-- erase-account
    delete from users where id = ${userId}`.execute(tx);
}
