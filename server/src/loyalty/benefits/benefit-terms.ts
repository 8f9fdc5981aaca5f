import type { ProgramBenefit } from '#program/program.ts';
import { plainBenefit, readStoredCoupon, readStoredProduct } from '#program/stored-program.ts';

/** The terms of a benefit, which a voucher keeps. */
export interface BenefitTerms {
  readonly id: string;
  readonly benefitType: 'normal' | 'welcome' | 'birthday' | 'monthly_top' | 'level';
  readonly type: 'percentage_discount' | 'absolute_discount' | 'free_product';
  readonly title: string;
  readonly description: string;
  readonly cost: number;
  /** A percentage or an amount. Null for a free product. */
  readonly value: number | null;
  readonly color: string | null;
  readonly image: string | null;
  readonly product: ProgramBenefit['product'];
  readonly shopCoupon: ProgramBenefit['shop_coupon'];
  readonly expiresAt: Date | null;
  /** How many days a voucher is valid after its issue. */
  readonly validDays: number | null;
  /** The limit of exchanges by all members together. 0 means no limit. */
  readonly buyLimit: number;
}

/** Returns the terms of a benefit as its program defines them. */
export function termsOf(benefit: ProgramBenefit): BenefitTerms {
  return {
    id: benefit.id,
    benefitType: benefit.benefit_type,
    type: benefit.type,
    title: benefit.title,
    description: benefit.description,
    cost: benefit.cost,
    value: benefit.value,
    color: benefit.color,
    image: benefit.image,
    product: benefit.product,
    shopCoupon: benefit.shop_coupon,
    expiresAt: benefit.expiration === null ? null : new Date(benefit.expiration),
    validDays: benefit.valid_days,
    buyLimit: benefit.buy_limit,
  };
}

const defaultTerms = termsOf(plainBenefit({ id: '', type: 'free_product', title: '' }));

/** Terms as stored in JSON. An older release may have stored fewer fields. */
export type StoredTerms = Pick<BenefitTerms, 'id' | 'type' | 'title'> & {
  readonly [K in keyof BenefitTerms]?: K extends 'expiresAt' ? string | null : BenefitTerms[K];
};

/** Returns the terms that a voucher has stored, with defaults for fields that an older release did not store. */
export function readStoredTerms(stored: StoredTerms): BenefitTerms {
  const { product, shopCoupon, expiresAt } = stored;
  return {
    ...defaultTerms,
    ...stored,
    product: readStoredProduct(product),
    shopCoupon: readStoredCoupon(shopCoupon),
    expiresAt: expiresAt ? new Date(expiresAt) : null,
  };
}
