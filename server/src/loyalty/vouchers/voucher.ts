import { readStoredTerms, type BenefitTerms, type StoredTerms } from '#benefits/benefit-terms.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db, type Sql } from '#db/database.ts';

/** A benefit that a member holds, from the issue of its code to its use. */
export interface Voucher extends NewVoucher {
  readonly usedAt: Date | null;
  /** When it was given back for its points, or became void with the tier or the stamps it came with. */
  readonly givenBackAt: Date | null;
  /** The date that was fixed at the issue, if it was moved because a use was undone after it. */
  readonly firstDueAt: Date | null;
}

export interface NewVoucher {
  readonly commerceId: number;
  readonly memberId: number;
  readonly code: number;
  /** The terms at the time of issue. Later changes to the benefit do not matter. */
  readonly benefit: BenefitTerms;
  readonly source: VoucherSource;
  /** The id of the tier, for a tier benefit. */
  readonly tierId?: string | null;
  /** The points paid for it. */
  readonly cost: number;
  readonly issuedAt: Date;
  readonly dueAt: Date | null;
}

/** How the member got the voucher: by buying it, or from a reward. */
export type VoucherSource = 'exchange' | 'welcome' | 'birthday' | 'monthly_top' | 'level' | 'stamps';

/** The state of a voucher at an instant. It is void if a return took away the tier or the stamps that it came with. */
export type VoucherState = 'usable' | 'used' | 'expired' | 'given_back' | 'void';

/** Returns the state of a voucher at an instant. Only a usable one can be redeemed. */
export function stateOfVoucher(
  { source, usedAt, givenBackAt, dueAt }: Pick<Voucher, 'source' | 'usedAt' | 'givenBackAt' | 'dueAt'>,
  now: Date,
): VoucherState {
  if (usedAt !== null) return 'used';
  if (givenBackAt !== null) return source === 'exchange' ? 'given_back' : 'void';
  return dueAt !== null && dueAt < now ? 'expired' : 'usable';
}

/** Reads the voucher with this code and the commerce's time. Returns undefined if there is none. */
export async function readVoucher(
  db: Db,
  commerceId: number,
  code: number,
): Promise<(Voucher & { now: Date }) | undefined> {
  const ref = { commerceId, code };
  return (await readVouchers(db, [ref])).get(nameOfVoucher(ref));
}

/** Does the same for vouchers of one or more commerces, by `nameOfVoucher`. Unknown codes are left out. */
export async function readVouchers(
  db: Db,
  refs: readonly VoucherRef[],
): Promise<Map<string, Voucher & { now: Date }>> {
  if (refs.length === 0) return new Map();
  const { rows } = await sql<VoucherRow & { now: Date }>`-- read-vouchers
    select ${voucherColumns}, program_now(c.clock_offset) as now
      from unnest(${refs.map((ref) => ref.commerceId)}::bigint[], ${refs.map((ref) => ref.code)}::bigint[])
             as r(commerce_id, code)
      join commerces c on c.id = r.commerce_id
      join vouchers v on v.commerce_id = r.commerce_id and v.code = r.code
     where v.commerce_id = any(${commercesOf(refs)}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [nameOfVoucher(row), { ...voucherOf(row), now: row.now }]));
}

/** A reference to a voucher of a commerce. */
export interface VoucherRef {
  readonly commerceId: number;
  readonly code: number;
}

/** Returns a name for a voucher that is unique across commerces. */
export function nameOfVoucher({ commerceId, code }: VoucherRef): string {
  return `${commerceId}/voucher/${code}`;
}

/** The most used or expired vouchers that the list of a member shows. */
const MOST_PAST = 1_000;

/**
 * Reads a member's vouchers, newest first: all that are usable, and of the used or expired ones the newest 1,000.
 * `readPastVouchers` reads the others. Vouchers given back or void are left out.
 */
export async function readVouchersOf(db: Db, commerceId: number, memberId: number): Promise<Voucher[]> {
  const { rows } = await sql<VoucherRow>`-- read-vouchers-of-member
    with clock as materialized (
      select program_now(c.clock_offset) as now from commerces c where c.id = ${commerceId}
    ), listed as (
      select v.*
        from vouchers v
       where ${unused(sql`${commerceId}`, sql`${memberId}`)} and v.due_at is null
       union all
      select v.*
        from vouchers v
       where ${unused(sql`${commerceId}`, sql`${memberId}`)} and v.due_at >= (select now from clock)
       union all
      (select v.*
         from vouchers v
        where ${past(commerceId, memberId)}
        order by v.issued_at desc, v.code desc
        limit ${MOST_PAST})
    )
    select ${voucherColumns}
      from listed v
     order by v.issued_at desc, v.code desc`.execute(db);
  return rows.map(voucherOf);
}

/** Reads a member's vouchers that can be used now, those that are due first in front, and at most so many. */
export async function readUsableVouchers(
  db: Db,
  commerceId: number,
  memberId: number,
  most: number,
): Promise<Voucher[]> {
  const { rows } = await sql<VoucherRow>`-- read-usable-vouchers
    with clock as materialized (
      select program_now(c.clock_offset) as now from commerces c where c.id = ${commerceId}
    )
    select ${voucherColumns}
      from vouchers v
     where ${unused(sql`${commerceId}`, sql`${memberId}`)}
       and (v.due_at is null or v.due_at >= (select now from clock))
     order by v.due_at nulls last, v.issued_at, v.code
     limit ${most}`.execute(db);
  return rows.map(voucherOf);
}

/** Where a page of past vouchers begins: after this one. */
export interface AfterVoucher {
  readonly at: Date;
  readonly code: number;
}

/** Reads a page of a member's used or expired vouchers, newest first. */
export async function readPastVouchers(
  db: Db,
  commerceId: number,
  memberId: number,
  after: AfterVoucher | null,
): Promise<{ vouchers: Voucher[]; next: AfterVoucher | null }> {
  const { rows } = await sql<VoucherRow>`-- read-past-vouchers
    with clock as materialized (
      select program_now(c.clock_offset) as now from commerces c where c.id = ${commerceId}
    )
    select ${voucherColumns}
      from vouchers v
     where ${past(commerceId, memberId)}
       and (v.issued_at, v.code) < (${after?.at ?? 'infinity'}::timestamptz, ${after?.code ?? 0}::bigint)
     order by v.issued_at desc, v.code desc
     limit ${PAGE + 1}`.execute(db);
  const vouchers = rows.slice(0, PAGE).map(voucherOf);
  const last = vouchers.at(-1);
  return {
    vouchers,
    next: rows.length > PAGE && last !== undefined ? { at: last.issuedAt, code: last.code } : null,
  };
}

const PAGE = 100;

/**
 * Counts the usable vouchers of members, by member id. `most` bounds the work: no member is counted further than that.
 */
export async function countUsableVouchers(
  db: Db,
  members: readonly { readonly commerceId: number; readonly id: number }[],
  most: number,
): Promise<Map<number, number>> {
  // All who are wanted may be locked elsewhere.
  if (members.length === 0) return new Map();
  const among = commercesOf(members);
  const { rows } = await sql<{ id: number; usable: number }>`-- count-usable-vouchers
    with wanted as materialized (
      select m.commerce_id, m.member_id, program_now(c.clock_offset) as now
        from unnest(${members.map((member) => member.commerceId)}::bigint[], ${members.map((member) => member.id)}::bigint[])
               as m(commerce_id, member_id)
        join commerces c on c.id = m.commerce_id
    )
    select w.member_id as id, u.usable
      from wanted w
      cross join lateral (
           select count(*) as usable
             from (select from vouchers v
                    where v.commerce_id = any(${among}::bigint[])
                      and ${unused(sql.raw('w.commerce_id'), sql.raw('w.member_id'))} and v.due_at is null
                    union all
                   select from vouchers v
                    where v.commerce_id = any(${among}::bigint[])
                      and ${unused(sql.raw('w.commerce_id'), sql.raw('w.member_id'))} and v.due_at >= w.now
                    limit ${most}) one) u`.execute(db);
  return new Map(rows.map((row) => [row.id, row.usable]));
}

// The index `vouchers_unused` finds these without reading the used ones.
function unused(commerceId: Sql, memberId: Sql): Sql {
  return sql`v.commerce_id = ${commerceId} and v.member_id = ${memberId} and v.used_at is null and v.given_back_at is null`;
}

function past(commerceId: number, memberId: number): Sql {
  return sql`v.commerce_id = ${commerceId} and v.member_id = ${memberId} and v.given_back_at is null
          and (v.used_at is not null or v.due_at < (select now from clock))`;
}

const voucherColumns = sql.raw(`
  v.commerce_id as "commerceId", v.member_id as "memberId", v.code, v.benefit, v.source, v.tier_id as "tierId", v.cost,
  v.issued_at as "issuedAt", v.due_at as "dueAt", v.used_at as "usedAt", v.given_back_at as "givenBackAt",
  v.first_due_at as "firstDueAt"`);

interface VoucherRow extends Omit<Voucher, 'benefit'> {
  readonly benefit: StoredTerms;
}

function voucherOf(row: VoucherRow): Voucher {
  return { ...row, benefit: readStoredTerms(row.benefit) };
}
