import { readStoredTerms, type BenefitTerms, type StoredTerms } from '#benefits/benefit-terms.ts';
import { sql, type Db } from '#db/database.ts';

/** A benefit that a member holds, from the issue of its code to its use. */
export interface Voucher extends NewVoucher {
  readonly usedAt: Date | null;
  /** When it was given back for its points, or became void with the tier it came with. */
  readonly givenBackAt: Date | null;
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
export type VoucherSource = 'exchange' | 'welcome' | 'birthday' | 'monthly_top' | 'level';

/** Reads the voucher with this code and the commerce's time. Returns undefined if there is none. */
export async function readVoucher(
  db: Db,
  commerceId: number,
  code: number,
): Promise<(Voucher & { now: Date }) | undefined> {
  const { rows } = await sql<VoucherRow & { now: Date }>`-- read-voucher
    select ${voucherColumns}, program_now(c) as now
      from vouchers v
      join commerces c on c.id = v.commerce_id
     where v.commerce_id = ${commerceId} and v.code = ${code}`.execute(db);
  const row = rows[0];
  return row && { ...voucherOf(row), now: row.now };
}

/** Reads a member's vouchers, newest first. Those given back or void are left out. */
export async function readVouchersOf(db: Db, commerceId: number, memberId: number): Promise<Voucher[]> {
  const { rows } = await sql<VoucherRow>`-- read-vouchers-of-member
    select ${voucherColumns}
      from vouchers v
     where v.commerce_id = ${commerceId} and v.member_id = ${memberId} and v.given_back_at is null
     order by v.issued_at desc, v.code desc`.execute(db);
  return rows.map(voucherOf);
}

const voucherColumns = sql.raw(`
  v.commerce_id as "commerceId", v.member_id as "memberId", v.code, v.benefit, v.source, v.tier_id as "tierId", v.cost,
  v.issued_at as "issuedAt", v.due_at as "dueAt", v.used_at as "usedAt", v.given_back_at as "givenBackAt"`);

interface VoucherRow extends Omit<Voucher, 'benefit'> {
  readonly benefit: StoredTerms;
}

function voucherOf(row: VoucherRow): Voucher {
  return { ...row, benefit: readStoredTerms(row.benefit) };
}
