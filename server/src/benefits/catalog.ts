import type { Program } from '#program/program.ts';
import type { Offer } from './benefit.ts';

/**
 * The catalog that a program version defines, in its order: what `writeBenefits` writes of it, as it is read again.
 * Made once of each version and kept for as long as that is.
 */
export function catalogOf(program: Program): readonly Offer[] {
  const kept = catalogs.get(program);
  if (kept !== undefined) return kept;
  const made = program.benefits.map(offerOf);
  catalogs.set(program, made);
  return made;
}

const catalogs = new WeakMap<Program, readonly Offer[]>();

function offerOf(benefit: Program['benefits'][number]): Offer {
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
    onSale: benefit.on_sale,
    withdrawnAt: null,
  };
}
