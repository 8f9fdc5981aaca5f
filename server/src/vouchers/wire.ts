import { Type, type Static } from 'typebox';
import { Benefit, benefitOf } from '#benefits/wire.ts';
import { Instant, Int64, Nullable } from '#http/schema.ts';
import type { NewVoucher } from './voucher.ts';

export const RedeemableBenefit = Type.Object(
  {
    client_benefit_code: Int64({
      description: 'Redemption code and coupon code',
      examples: [52840917364015],
    }),
    issue_date: Instant({ description: 'When it was bought' }),
    due_date: Nullable(Instant({ description: 'Deadline to redeem; null when it does not expire' })),
    used: Type.Boolean({ description: 'Already redeemed' }),
    benefit: Benefit,
  },
  { title: 'RedeemableBenefit' },
);

/** A voucher as shop and member see it; a new one was not used yet. */
export function redeemableBenefitOf(
  voucher: NewVoucher & { readonly usedAt?: Date | null },
): Static<typeof RedeemableBenefit> {
  return {
    client_benefit_code: voucher.code,
    issue_date: voucher.issuedAt,
    due_date: voucher.dueAt,
    used: (voucher.usedAt ?? null) !== null,
    benefit: benefitOf(voucher.benefit),
  };
}
