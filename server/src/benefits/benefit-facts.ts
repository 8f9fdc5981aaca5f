import type { Benefit as BenefitText } from '#program/program.ts';
import { plainBenefit, readStoredCoupon, readStoredProduct } from '#program/stored-program.ts';

/** The part of a benefit that a voucher keeps. */
export interface BenefitFacts {
  readonly id: string;
  readonly benefitType: 'normal' | 'welcome' | 'birthday' | 'monthly_top' | 'level';
  readonly type: 'percentage_discount' | 'absolute_discount' | 'free_product';
  readonly title: string;
  readonly description: string;
  readonly cost: number;
  /** The percentage or the amount. Null for a free product. */
  readonly value: number | null;
  readonly color: string | null;
  readonly image: string | null;
  readonly product: BenefitText['product'];
  readonly shopCoupon: BenefitText['shop_coupon'];
  readonly expiresAt: Date | null;
  /** The number of days that a voucher is valid after its issue. */
  readonly validDays: number | null;
  /** The number of exchanges allowed for all members together. 0 means no limit. */
  readonly buyLimit: number;
}

/** Returns the facts of a benefit of the program. */
export function factsOf(benefit: BenefitText): BenefitFacts {
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

const whereNothingIsSaid = factsOf(plainBenefit({ id: '', type: 'free_product', title: '' }));

/** Facts stored as JSON. An older release may have stored fewer of them. */
export type StoredFacts = Pick<BenefitFacts, 'id' | 'type' | 'title'> & {
  readonly [K in keyof BenefitFacts]?: K extends 'expiresAt' ? string | null : BenefitFacts[K];
};

/** Reads the facts that a voucher kept. Facts that did not exist when it was issued get their default. */
export function readStoredFacts(stored: StoredFacts): BenefitFacts {
  const { product, shopCoupon, expiresAt } = stored;
  return {
    ...whereNothingIsSaid,
    ...stored,
    product: readStoredProduct(product),
    shopCoupon: readStoredCoupon(shopCoupon),
    expiresAt: expiresAt ? new Date(expiresAt) : null,
  };
}
