import type { ShopLine } from '@loyalty/shop-core';

/** An amount with decimals, as Medusa returns one. */
export type Amount = number | string;

/** A line of a cart or an order of Medusa. */
export interface MedusaLine {
  id: string;
  quantity: Amount;
  total: Amount;
  unit_price?: Amount;
  compare_at_unit_price?: Amount | null;
  detail?: { quantity?: Amount; return_received_quantity?: Amount } | null;
  adjustments?: ({ code?: string | null } | null)[] | null;
  product?: {
    handle?: string | null;
    categories?: ({ handle?: string | null } | null)[] | null;
  } | null;
}

/** The shipping of a cart or an order of Medusa. */
export interface MedusaShipping {
  id: string;
  total: Amount;
  adjustments?: ({ code?: string | null } | null)[] | null;
}

/** Products and categories go by their handles, which people can read in a program. */
export function lineOf(line: MedusaLine): ShopLine {
  const { product, detail } = line;
  const categories = (product?.categories ?? []).flatMap((category) => category?.handle ?? []);
  const returned = Number(detail?.return_received_quantity ?? 0);
  return {
    id: line.id,
    units: Number(detail?.quantity ?? line.quantity),
    total: Number(line.total),
    ...(product?.handle && { product: product.handle }),
    ...(categories.length > 0 && { categories }),
    ...(Number(line.compare_at_unit_price ?? 0) > Number(line.unit_price ?? 0) && { discounted: true }),
    ...(returned > 0 && { returnedUnits: returned }),
  };
}

/** A program that gives no points for shipping excludes the category `shipping`. */
export function shippingLineOf({ id, total }: MedusaShipping): ShopLine {
  return { id, units: 1, total: Number(total), categories: ['shipping'] };
}
