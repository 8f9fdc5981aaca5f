import type { Benefit as BenefitText } from '#program/program.ts';
import { plainBenefit, readStoredCoupon, readStoredProduct } from '#program/stored-program.ts';

/** What a voucher keeps of its benefit. */
export interface BenefitFacts {
  readonly id: string;
  readonly benefitType: 'normal' | 'welcome' | 'birthday' | 'monthly_top' | 'level';
  readonly type: 'percentage_discount' | 'absolute_discount' | 'free_product';
  readonly title: string;
  readonly description: string;
  readonly cost: number;
  /** Percentage or amount; null for a free product. */
  readonly value: number | null;
  readonly color: string | null;
  readonly image: string | null;
  readonly product: BenefitText['product'];
  readonly shopCoupon: BenefitText['shop_coupon'];
  readonly expiresAt: Date | null;
  /** Days that a voucher is good after its issue. */
  readonly validDays: number | null;
  /** Exchanges over all members; 0 is no limit. */
  readonly buyLimit: number;
}

/** The facts of a benefit as its program says them. */
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

/** Facts as JSON keeps them. An older release may have stored fewer. */
export type StoredFacts = Pick<BenefitFacts, 'id' | 'type' | 'title'> & {
  readonly [K in keyof BenefitFacts]?: K extends 'expiresAt' ? string | null : BenefitFacts[K];
};

/** The facts that a voucher has kept; what was not stored yet when it was issued has its default. */
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
