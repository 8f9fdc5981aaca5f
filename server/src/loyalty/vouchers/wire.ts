import { Type, type Static } from 'typebox';
import { BenefitSchema, benefitToWire } from '#benefits/wire.ts';
import { Instant, Int64, Nullable } from '#http/schema.ts';
import type { NewVoucher } from './voucher.ts';

export const RedeemableBenefitSchema = Type.Object(
  {
    client_benefit_code: Int64({
      description: 'The 14-digit code to redeem. Online shops use it as the coupon code.',
      examples: [52840917364015],
    }),
    issue_date: Instant({ description: 'When it was bought or received.' }),
    due_date: Nullable(
      Instant({
        description: 'The last moment to redeem it. Null if it does not expire.',
        examples: ['2026-04-04T22:59:59.999Z'],
      }),
    ),
    used: Type.Boolean({ description: 'True if it was redeemed.', examples: [false] }),
    benefit: BenefitSchema,
  },
  { title: 'RedeemableBenefit' },
);

export const PastBenefitsPageSchema = Type.Object(
  {
    results: Type.Array(RedeemableBenefitSchema),
    next_cursor: Nullable(
      Type.String({
        description: 'The `cursor` of the next, older page. Null on the last page.',
        examples: ['bzo1Mg'],
      }),
    ),
  },
  { title: 'PastBenefitsPage' },
);

export const MyHoldSchema = Type.Object(
  {
    client_benefit_code: Int64({ description: 'The code.', examples: [52840917364015] }),
    expires_at: Instant({ description: 'When the hold ends by itself.' }),
  },
  { title: 'MyHold' },
);

/** Returns a voucher as the shop and the member see it. A new one has not been used yet. */
export function redeemableBenefitToWire(
  voucher: NewVoucher & { readonly usedAt?: Date | null },
  serviceUrl: string,
): Static<typeof RedeemableBenefitSchema> {
  return {
    client_benefit_code: voucher.code,
    issue_date: voucher.issuedAt,
    due_date: voucher.dueAt,
    used: (voucher.usedAt ?? null) !== null,
    benefit: benefitToWire(voucher.benefit, serviceUrl),
  };
}
