import type { Day } from '#calendar/calendar.ts';
import { isOnCluster } from '#db/cluster/is-on-cluster.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';
import { memberColumns, memberOf, type Member, type MemberRow } from './member.ts';
import { newMemberCode } from './member-code.ts';

/** Returns the id of the account of an address. Creates the account if there is none. */
export async function findOrCreateUser(tx: Tx, email: string): Promise<number> {
  return (await findOrCreateUsers(tx, [email])).get(email)!;
}

/**
 * Returns the ids of the accounts of these addresses, by address. Creates the missing accounts. The accounts cannot be erased
 * before the transaction ends. An account that is erased while this waits for it is created anew. On a cluster nothing is locked:
 * who refers to an account that is gone by then violates the key of the account, and the transaction runs again.
 */
export async function findOrCreateUsers(tx: Tx, emails: readonly string[]): Promise<Map<string, number>> {
  const users = new Map<string, number>();
  for (let missing = emails; missing.length > 0; missing = emails.filter((email) => !users.has(email))) {
    await sql`-- create-users
    insert into users (email)
    select e.email
      from unnest(${missing}::text[]) as e(email)
      left join users u on u.email = e.email
     where u.email is null
     order by e.email
        on conflict do nothing`.execute(tx);
    const { name, lock } = isOnCluster(tx) ? FOUND : LOCKED;
    const { rows } = await sql<{ id: number; email: string }>`${name}
    select u.id, u.email
      from unnest(${missing}::text[]) as e(email)
      join users u on u.email = e.email
     order by u.id${lock}`.execute(tx);
    for (const { email, id } of rows) users.set(email, id);
  }
  return users;
}

const LOCKED = { name: sql.raw('-- find-users'), lock: sql.raw('\n       for key share of u') };
/**
 * Citus locks the whole table of accounts for a shared lock of a row, against everybody who has created an account in a transaction
 * that is not over: two who enrol at once would wait for each other.
 */
const FOUND = { name: sql.raw('-- find-users-on-cluster'), lock: sql.raw('') };

/** A person who enters, with the profile that this commerce knows. */
export interface Entry {
  /** A locked row in state `invited`. */
  readonly invited: Member;
  readonly userId: number;
  readonly username: string;
  readonly phone?: string | null;
  readonly birthDate?: Day | null;
}

/**
 * Turns a locked row in state `invited` into a member, with a code, the next place in the list and their account. If
 * the code already exists, the transaction fails and runs again with a new code.
 */
export async function enterMember(
  tx: Tx,
  invited: Member,
  userId: number,
  username: string,
  at: Date,
): Promise<Member> {
  const [member] = await enterMembers(tx, invited.commerceId, [{ invited, userId, username }], at);
  return member!;
}

/** Turns people of one commerce into members, in the order of the entries. Returns them in that order. */
export async function enterMembers(
  tx: Tx,
  commerceId: number,
  entries: readonly Entry[],
  at: Date,
): Promise<Member[]> {
  if (entries.length === 0) return [];
  const codes = await freeCodes(tx, commerceId, entries.length);
  const { rows } = await sql<MemberRow>`-- enter-members
    with enrolment as (
      insert into enrolments (commerce_id, total) values (${commerceId}, ${entries.length})
          on conflict (commerce_id) do update set total = enrolments.total + excluded.total
      returning total
    )
    update members m
       set state = 'member', user_id = e.user_id, code = e.code,
           ordinal = enrolment.total - ${entries.length}::bigint + e.place, enrolled_at = ${at},
           username = coalesce(m.username, e.username), phone = coalesce(m.phone, e.phone),
           birth_date = coalesce(m.birth_date, e.birth_date),
           birth_date_set_at = coalesce(m.birth_date_set_at, case when e.birth_date is not null then ${at}::timestamptz end)
      from enrolment,
           unnest(${entries.map((e) => e.invited.id)}::bigint[], ${entries.map((e) => e.userId)}::bigint[],
                  ${codes}::bigint[], ${entries.map((e) => e.username)}::text[],
                  ${entries.map((e) => e.phone ?? null)}::text[], ${entries.map((e) => e.birthDate ?? null)}::date[])
             with ordinality as e(id, user_id, code, username, phone, birth_date, place)
     where m.commerce_id = ${commerceId} and m.id = e.id
    returning ${memberColumns}`.execute(tx);
  await storeHappenings(
    tx,
    entries.map(({ invited }) => ({
      type: 'member.joined',
      commerceId,
      memberId: invited.id,
      at,
      facts: { again: false },
    })),
  );
  const members = new Map(rows.map((row) => [row.id, memberOf(row)]));
  return entries.map(({ invited }) => members.get(invited.id)!);
}

/**
 * Returns codes that nobody at the commerce has. If many people enter a large commerce at once, one of their random
 * codes is almost always taken, so this checks first. The unique key still decides. The codes are looked up one by
 * one in the index, because with `not exists` the planner may read all codes of the commerce.
 */
async function freeCodes(db: Db, commerceId: number, count: number): Promise<number[]> {
  const free = new Set<number>();
  while (free.size < count) {
    const codes = Array.from({ length: count - free.size }, newMemberCode);
    const { rows } = await sql<{ code: number }>`-- free-codes
      select n.code
        from unnest(${codes}::bigint[]) as n(code)
       where (select 1 from members m where m.commerce_id = ${commerceId} and m.code = n.code) is null`.execute(
      db,
    );
    for (const { code } of rows) free.add(code);
  }
  return [...free];
}

/** Makes a member who left a member again. Points and codes were kept. The row must be locked. */
export async function returnMember(tx: Tx, { commerceId, id }: Member, at: Date): Promise<void> {
  await sql`
    update members
       set state = 'member', left_at = null
     where commerce_id = ${commerceId} and id = ${id}`.execute(tx);
  await storeHappenings(tx, [
    { type: 'member.joined', commerceId, memberId: id, at, facts: { again: true } },
  ]);
}
