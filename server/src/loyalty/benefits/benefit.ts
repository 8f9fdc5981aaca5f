import { sql, type Db } from '#db/database.ts';
import { readStoredCoupon, readStoredProduct } from '#program/stored-program.ts';
import type { BenefitTerms } from './benefit-terms.ts';

/** A benefit in the catalog, with the number sold. */
export interface Benefit extends Offer {
  readonly sold: number;
  /** The program version that last changed it. */
  readonly version: number;
}

/** A benefit as its program defines it. */
export interface Offer extends BenefitTerms {
  readonly onSale: boolean;
  readonly withdrawnAt: Date | null;
}

export const benefitColumns = sql.raw(`
  b.id, b.benefit_type as "benefitType", b.type, b.title, b.description, b.cost, b.value, b.color, b.image,
  b.product, b.shop_coupon as "shopCoupon", b.expires_at as "expiresAt", b.valid_days as "validDays",
  b.buy_limit as "buyLimit", b.sold, b.on_sale as "onSale", b.withdrawn_at as "withdrawnAt", b.version`);

/** A row of `benefitColumns`. The product and the shop coupon are JSON, which an older release may have written. */
export interface BenefitRow extends Omit<Benefit, 'product' | 'shopCoupon'> {
  readonly product: unknown;
  readonly shopCoupon: unknown;
}

/** Returns the benefit of a row, with defaults for parts that an older release did not store. */
export function withStoredParts<Row extends BenefitRow>(row: Row): Row & Benefit {
  return { ...row, product: readStoredProduct(row.product), shopCoupon: readStoredCoupon(row.shopCoupon) };
}

/** Reads one benefit of a commerce. Returns undefined if it does not exist or was withdrawn. */
export async function readBenefit(db: Db, commerceId: number, id: string): Promise<Benefit | undefined> {
  const { rows } = await sql<BenefitRow>`-- read-benefit
    select ${benefitColumns}
      from benefits b
     where b.commerce_id = ${commerceId} and b.id = ${id} and b.withdrawn_at is null`.execute(db);
  return rows[0] && withStoredParts(rows[0]);
}

/** Returns why the benefit can no longer be issued at this instant of the commerce's clock, or null if it can. */
export function whyEnded(
  { withdrawnAt, expiresAt }: Pick<Offer, 'withdrawnAt' | 'expiresAt'>,
  now: Date,
): 'withdrawn' | 'expired' | null {
  if (withdrawnAt !== null) return 'withdrawn';
  return expiresAt !== null && expiresAt <= now ? 'expired' : null;
}

/** Returns true if members can buy the benefit at this instant of the commerce's clock, given the number sold. */
export function isLive(offer: Offer, sold: number, now: Date): boolean {
  return (
    offer.benefitType === 'normal' &&
    offer.onSale &&
    whyEnded(offer, now) === null &&
    (offer.buyLimit === 0 || sold < offer.buyLimit)
  );
}
