import type { BenefitV2 } from '@loyalty/sdk';

/** What a code takes off a cart, in words that every shop can carry out. */
export type Discount =
  | {
      kind: 'percentage';
      /** 0 to 100. */
      value: number;
      on: DiscountTarget;
    }
  | {
      kind: 'absolute';
      /** In units of the commerce's currency. It takes off no more than there is. */
      value: number;
      on: DiscountTarget;
    }
  | {
      kind: 'shipping';
      /** The part of the shipping that is taken off, 0 to 100. */
      value: number;
    };

/** What a discount is counted on. */
export type DiscountTarget =
  | { what: 'order' }
  /** `ids` are all names that the program has for the product: any of them may be the one that the shop knows. */
  | { what: 'product'; ids: string[] }
  | { what: 'category'; id: string };

/** A code that a customer may use in the shop. */
export interface UsableCode {
  code: number;
  title: string;
  discount: Discount;
}

/**
 * Returns what a benefit takes off at an online shop; null for one that is not meant for online shops, or whose coupon has ended.
 */
export function discountOf(
  { shop_coupon: coupon, product: prize }: Pick<BenefitV2, 'shop_coupon' | 'product'>,
  now: Date = new Date(),
): Discount | null {
  if (coupon === null) return null;
  if (coupon.end_date !== null && new Date(coupon.end_date) <= now) return null;
  const { type: kind, value } = coupon;
  if (kind === 'shipping') return { kind, value };
  if (coupon.product !== null) {
    const names = [coupon.product.shop_id, prize?.external_id, prize?.id];
    const ids = names.flatMap((name) => (name === null || name === undefined ? [] : [String(name)]));
    return { kind, value, on: { what: 'product', ids: [...new Set(ids)] } };
  }
  if (coupon.category !== null) return { kind, value, on: { what: 'category', id: coupon.category } };
  return { kind, value, on: { what: 'order' } };
}
