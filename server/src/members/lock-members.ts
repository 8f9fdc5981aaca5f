import { sql, type Db } from '#db/database.ts';
import { memberColumns, memberOf, type Member, type MemberRow } from './member.ts';

/** Which members of a commerce are meant: by the code on their card, their address, their account, or their row. */
export type MemberRef = { readonly commerceId: number } & (
  | { readonly code: number }
  | { readonly email: string }
  | { readonly userId: number }
  | { readonly id: number }
);

/**
 * Locks members for what follows in this transaction, in ascending order, and gives them as they are once
 * the locks are held. Who does not exist is left out. What hangs on a member (balances, vouchers) must be
 * read by a later statement: this one's snapshot is older than its locks.
 */
export async function lockMembers(db: Db, refs: readonly MemberRef[]): Promise<Member[]> {
  const { rows } = await sql<MemberRow>`-- lock-members
    ${membersBy(refs)}
    for no key update of m`.execute(db);
  return rows.map(memberOf);
}

/** Locks one member; undefined where there is none. */
export async function lockMember(db: Db, ref: MemberRef): Promise<Member | undefined> {
  return (await lockMembers(db, [ref]))[0];
}

/** Members as they are now, to be shown. Who does not exist is left out. */
export async function findMembers(db: Db, refs: readonly MemberRef[]): Promise<Member[]> {
  const { rows } = await sql<MemberRow>`-- find-members
    ${membersBy(refs)}`.execute(db);
  return rows.map(memberOf);
}

/** A member as they are now, to be shown; undefined where there is none. */
export async function findMember(db: Db, ref: MemberRef): Promise<Member | undefined> {
  return (await findMembers(db, [ref]))[0];
}

function membersBy(refs: readonly MemberRef[]) {
  const by = { code: columns(), email: columns(), userId: columns(), id: columns() };
  for (const ref of refs) {
    const [kind, value] =
      'code' in ref
        ? (['code', ref.code] as const)
        : 'email' in ref
          ? (['email', ref.email] as const)
          : 'userId' in ref
            ? (['userId', ref.userId] as const)
            : (['id', ref.id] as const);
    by[kind].commerceIds.push(ref.commerceId);
    by[kind].values.push(value);
  }
  // Joined to a derived table, and not `in (…)`: where a lock was waited for, PostgreSQL asks the row's new version
  // again, and to `in (…)` the answer was no, so that a member who was just paying elsewhere was missing.
  return sql`select ${memberColumns}
      from (select m.commerce_id, m.id
              from unnest(${by.code.commerceIds}::bigint[], ${by.code.values}::bigint[]) as r(commerce_id, code)
              join members m on m.commerce_id = r.commerce_id and m.code = r.code
             union
            select m.commerce_id, m.id
              from unnest(${by.email.commerceIds}::bigint[], ${by.email.values}::text[]) as r(commerce_id, email)
              join members m on m.commerce_id = r.commerce_id and m.email = r.email
             union
            select m.commerce_id, m.id
              from unnest(${by.userId.commerceIds}::bigint[], ${by.userId.values}::bigint[]) as r(commerce_id, user_id)
              join members m on m.commerce_id = r.commerce_id and m.user_id = r.user_id
             union
            select r.commerce_id, r.id
              from unnest(${by.id.commerceIds}::bigint[], ${by.id.values}::bigint[]) as r(commerce_id, id)) as wanted
      join members m on m.commerce_id = wanted.commerce_id and m.id = wanted.id
     order by m.commerce_id, m.id`;
}

function columns(): { commerceIds: number[]; values: (number | string)[] } {
  return { commerceIds: [], values: [] };
}
