import { sql, type Tx } from '#db/database.ts';
import type { BenefitTerms } from '#benefits/benefit-terms.ts';
import type { NewVoucher, VoucherSource } from './voucher.ts';
import { newVoucherCode } from './voucher-code.ts';

/**
 * Creates a voucher of `benefit` with a code that is not in use, without storing it. It is due `validDays` after its issue or when
 * the benefit expires, whichever comes first. The caller has checked that this date is in the future.
 */
export function newVoucher(
  member: { readonly commerceId: number; readonly id: number },
  benefit: BenefitTerms,
  source: VoucherSource,
  issuedAt: Date,
  code = newVoucherCode(),
): NewVoucher {
  const cost = source === 'exchange' ? benefit.cost : 0;
  const due = dueAt(benefit, issuedAt);
  if (due !== null && due <= issuedAt)
    throw new Error(`a code of ${benefit.id} would be past its due date already`);
  return {
    commerceId: member.commerceId,
    memberId: member.id,
    code,
    benefit: termsOf(benefit),
    source,
    cost,
    issuedAt,
    dueAt: due,
  };
}

/** Stores new vouchers. If a code already exists, the transaction fails and runs again with new codes. */
export async function issueVouchers(tx: Tx, vouchers: readonly NewVoucher[]): Promise<void> {
  if (vouchers.length === 0) return;
  await sql`-- issue-vouchers
    insert into vouchers (commerce_id, code, member_id, benefit_id, benefit, source, tier_id, cost, issued_at, due_at)
    select v.commerce_id, v.code, v.member_id, v.benefit_id, v.benefit::jsonb, v.source, v.tier_id, v.cost, v.issued_at, v.due_at
      from unnest(${vouchers.map((v) => v.commerceId)}::bigint[], ${vouchers.map((v) => v.code)}::bigint[],
                  ${vouchers.map((v) => v.memberId)}::bigint[], ${vouchers.map((v) => v.benefit.id)}::text[],
                  ${vouchers.map((v) => JSON.stringify(v.benefit))}::text[], ${vouchers.map((v) => v.source)}::text[],
                  ${vouchers.map((v) => v.tierId ?? null)}::text[], ${vouchers.map((v) => v.cost)}::bigint[],
                  ${vouchers.map((v) => v.issuedAt)}::timestamptz[], ${vouchers.map((v) => v.dueAt)}::timestamptz[])
             as v(commerce_id, code, member_id, benefit_id, benefit, source, tier_id, cost, issued_at, due_at)`.execute(
    tx,
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;

function dueAt(benefit: BenefitTerms, issuedAt: Date): Date | null {
  if (benefit.validDays === null) return benefit.expiresAt;
  const due = new Date(issuedAt.getTime() + benefit.validDays * DAY_MS);
  return benefit.expiresAt !== null && benefit.expiresAt < due ? benefit.expiresAt : due;
}

function termsOf(benefit: BenefitTerms): BenefitTerms {
  const { id, benefitType, type, title, description, cost, value, color, image } = benefit;
  const { product, shopCoupon, expiresAt, validDays, buyLimit } = benefit;
  return {
    id,
    benefitType,
    type,
    title,
    description,
    cost,
    value,
    color,
    image,
    product,
    shopCoupon,
    expiresAt,
    validDays,
    buyLimit,
  };
}
