import { sql } from '#db/database.ts';
import type { Member } from '#members/member.ts';

/** A person in a list of reports: enough to know them and to open their page. */
export type Person = Pick<Member, 'id' | 'code' | 'username' | 'state' | 'blockedAt' | 'email'>;

export type PersonRow = Omit<Person, 'id'> & { readonly memberId: number };

/** The columns of `members m` in the shape of `PersonRow`. */
export const personColumns = sql.raw(
  'm.id as "memberId", m.code, m.username, m.state, m.blocked_at as "blockedAt", m.email',
);

export function personOf({ memberId, code, username, state, blockedAt, email }: PersonRow): Person {
  return { id: memberId, code, username, state, blockedAt, email };
}
