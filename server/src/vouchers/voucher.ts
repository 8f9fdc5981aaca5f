import { readStoredFacts, type BenefitFacts, type StoredFacts } from '#benefits/benefit-facts.ts';
import { sql, type Db } from '#db/database.ts';

/** A benefit in a member's hands, from the issue of its code to its use. */
export interface Voucher extends NewVoucher {
  readonly usedAt: Date | null;
  /** When it left the member's hands unused: given back for its points, or void with the tier it came with. */
  readonly givenBackAt: Date | null;
}

export interface NewVoucher {
  readonly commerceId: number;
  readonly memberId: number;
  readonly code: number;
  /** As it was at the issue, whatever is changed later. */
  readonly benefit: BenefitFacts;
  readonly source: VoucherSource;
  /** Of a tier's benefit: the tier's id. */
  readonly tierId?: string | null;
  /** Points paid. */
  readonly cost: number;
  readonly issuedAt: Date;
  readonly dueAt: Date | null;
}

/** How a voucher came into its member's hands: bought, or handed out by a reward. */
export type VoucherSource = 'exchange' | 'welcome' | 'birthday' | 'monthly_top' | 'level';

/** The voucher of a code at a commerce, with the commerce's time; undefined where there is none. */
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

/** The vouchers of a member, newest first; those given back or void are left out. */
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
  readonly benefit: StoredFacts;
}

function voucherOf(row: VoucherRow): Voucher {
  return { ...row, benefit: readStoredFacts(row.benefit) };
}
