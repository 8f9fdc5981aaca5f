import type { WaitFor } from '#batching/waiting.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { memberColumns, memberOf, type Member, type MemberRow } from './member.ts';

/** A reference to a member of a commerce: by the code on their card, their address, their account or their row. */
export type MemberRef = { readonly commerceId: number } & (
  | { readonly code: number }
  | { readonly email: string }
  | { readonly userId: number }
  | { readonly id: number }
);

/**
 * Locks members for the rest of this transaction, in ascending order, and returns them as they are once the locks are
 * held. Unknown members are left out. Read what belongs to a member (balances, vouchers) in a later statement,
 * because the snapshot of this one is older than its locks.
 */
export async function lockMembers(tx: Tx, refs: readonly MemberRef[]): Promise<Member[]> {
  if (refs.length === 0) return [];
  const wanted = byKind(refs);
  const { rows } = await sql<MemberRow>`${named('lock-members', wanted)}
    ${membersBy(wanted)}
    for no key update of m`.execute(tx);
  return stillNamed(rows.map(memberOf), wanted);
}

/**
 * Leaves out members who were erased while the statement waited for their rows. Where it looks for members in several ways,
 * PostgreSQL finds a row by the address that it had before the wait, and returns it as it is after the wait.
 */
function stillNamed(members: Member[], wanted: readonly Wanted[]): Member[] {
  if (wanted.length === 1) return members;
  const names = new Set(wanted.flatMap(({ refs }) => refs.map(nameOfMember)));
  return members.filter((member) => namesOfMember(member).some((name) => names.has(name)));
}

/** The members that were locked, and the names of those that another transaction has locked. */
export interface FreeMembers {
  readonly members: Member[];
  readonly busy: ReadonlySet<string>;
}

/**
 * Locks members like `lockMembers`, but does not wait for members that are locked elsewhere, except as `waitFor` says.
 * Compare `busy` with `nameOfMember`.
 */
export async function lockFreeMembers(
  tx: Tx,
  refs: readonly MemberRef[],
  waitFor: WaitFor,
): Promise<FreeMembers> {
  if (refs.length === 0 || waitFor === 'all') return { members: await lockMembers(tx, refs), busy: NOBODY };
  if (waitFor === 'first') await lockMembers(tx, refs.slice(0, 1));
  const wanted = byKind(refs);
  const { rows } = await sql<MemberRow>`${named('lock-free-members', wanted)}
    ${membersBy(wanted)}
    for no key update of m skip locked`.execute(tx);
  const members = stillNamed(rows.map(memberOf), wanted);
  if (wanted.length === 1 && members.length === wanted[0]!.refs.length) return { members, busy: NOBODY };
  const locked = new Set(members.flatMap((member) => namesOfMember(member)));
  const missing = refs.filter((ref) => !locked.has(nameOfMember(ref)));
  const busy = (await findMembers(tx, missing)).flatMap((member) => namesOfMember(member));
  return { members, busy: new Set(busy) };
}

const NOBODY: ReadonlySet<string> = new Set();

/** Returns a name for a reference that is the same for every reference of its kind to the same member. */
export function nameOfMember(ref: MemberRef): string {
  return writeName(ref.commerceId, kindOf(ref), valueOf(ref));
}

/** Returns the names of a member by every kind of reference, or by these. */
export function namesOfMember(member: Member, kinds: Iterable<Kind> = KINDS): string[] {
  return Array.from(kinds, (kind) => writeName(member.commerceId, kind, member[COLUMNS[kind]]));
}

/** Returns where members are in a list, by the names of these references. */
export function placesOfMembers(members: readonly Member[], refs: readonly MemberRef[]): Map<string, number> {
  const kinds = new Set(refs.map(kindOf));
  return new Map(
    members.flatMap((member, place) => namesOfMember(member, kinds).map((name) => [name, place])),
  );
}

function writeName(commerceId: number, kind: Kind, value: number | string | null): string {
  return `${commerceId}/${kind}/${value}`;
}

type Kind = 'code' | 'email' | 'user' | 'id';
const KINDS: readonly Kind[] = ['code', 'email', 'user', 'id'];
const COLUMNS = { code: 'code', email: 'email', user: 'userId', id: 'id' } as const;

/** Locks one member. Returns undefined if there is none. */
export async function lockMember(tx: Tx, ref: MemberRef): Promise<Member | undefined> {
  return (await lockMembers(tx, [ref]))[0];
}

/** Reads members as they are now, to show them. Unknown members are left out. */
export async function findMembers(db: Db, refs: readonly MemberRef[]): Promise<Member[]> {
  if (refs.length === 0) return [];
  const wanted = byKind(refs);
  const { rows } = await sql<MemberRow>`${named('find-members', wanted)}
    ${membersBy(wanted)}`.execute(db);
  return rows.map(memberOf);
}

/** Reads one member as they are now, to show them. Returns undefined if there is none. */
export async function findMember(db: Db, ref: MemberRef): Promise<Member | undefined> {
  return (await findMembers(db, [ref]))[0];
}

/** References of one kind, each once. */
interface Wanted {
  readonly kind: Kind;
  readonly refs: readonly MemberRef[];
}

interface Arrays {
  readonly commerceIds: readonly number[];
  readonly values: readonly (number | string)[];
  /** The commerces, each once. */
  readonly among: readonly number[];
}

/** The rows of `members m` that references of a kind name. */
const rowsBy = {
  code: ({ commerceIds, values, among }: Arrays) => sql`
           unnest(${commerceIds}::bigint[], ${values}::bigint[]) as r(commerce_id, code)
      join members m on m.commerce_id = r.commerce_id and m.code = r.code and m.commerce_id = any(${among}::bigint[])`,
  email: ({ commerceIds, values, among }: Arrays) => sql`
           unnest(${commerceIds}::bigint[], ${values}::text[]) as r(commerce_id, email)
      join members m on m.commerce_id = r.commerce_id and m.email = r.email and m.commerce_id = any(${among}::bigint[])`,
  user: ({ commerceIds, values, among }: Arrays) => sql`
           unnest(${commerceIds}::bigint[], ${values}::bigint[]) as r(commerce_id, user_id)
      join members m on m.commerce_id = r.commerce_id and m.user_id = r.user_id and m.commerce_id = any(${among}::bigint[])`,
  id: ({ commerceIds, values, among }: Arrays) => sql`
           unnest(${commerceIds}::bigint[], ${values}::bigint[]) as r(commerce_id, id)
      join members m on m.commerce_id = r.commerce_id and m.id = r.id and m.commerce_id = any(${among}::bigint[])`,
};

/**
 * Selects only by the kinds of reference in use: all four would add 50 µs to a purchase. With several kinds, the ids are
 * a derived table and not `in (…)`. After waiting for a lock, PostgreSQL checks the new version of the row, and `in (…)`
 * did not match it, so a member who was just paying elsewhere was missing.
 */
function membersBy(wanted: readonly Wanted[]) {
  const rows = wanted.map(({ kind, refs }) =>
    rowsBy[kind]({
      commerceIds: refs.map((ref) => ref.commerceId),
      values: refs.map(valueOf),
      among: commercesOf(refs),
    }),
  );
  const [only, ...others] = rows;
  const found =
    others.length === 0
      ? only!
      : sql`(${sql.join(
          rows.map((named) => sql`select m.commerce_id, m.id from ${named}`),
          sql` union `,
        )}) as wanted
      join members m on m.commerce_id = wanted.commerce_id and m.id = wanted.id
                    and m.commerce_id = any(${commercesOf(wanted.flatMap(({ refs }) => refs))}::bigint[])`;
  return sql`select ${memberColumns}
      from ${found}
     order by m.commerce_id, m.id`;
}

/**
 * Returns the name of a statement with the kinds it selects by, because each combination is a different statement.
 */
function named(name: string, wanted: readonly Wanted[]) {
  return sql.raw(`-- ${name}-by-${wanted.map(({ kind }) => kind).join('-')}`);
}

function byKind(refs: readonly MemberRef[]): Wanted[] {
  const kinds = Map.groupBy(refs, kindOf);
  return KINDS.flatMap((kind) => {
    const of = kinds.get(kind);
    return of === undefined
      ? []
      : [{ kind, refs: [...new Map(of.map((ref) => [nameOfMember(ref), ref])).values()] }];
  });
}

function kindOf(ref: MemberRef): Kind {
  return 'code' in ref ? 'code' : 'email' in ref ? 'email' : 'userId' in ref ? 'user' : 'id';
}

function valueOf(ref: MemberRef): number | string {
  return 'code' in ref ? ref.code : 'email' in ref ? ref.email : 'userId' in ref ? ref.userId : ref.id;
}
