import { Type, type Static, type TSchema } from 'typebox';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { pictureUrl } from '#pictures/picture-url.ts';
import type { BenefitTerms } from './benefit-terms.ts';

const BenefitKindSchema = StrEnum(['percentage_discount', 'absolute_discount', 'free_product']);

/** An id that the commerce's file gives as a number is returned as a number. */
const NumberOrText = Type.Unsafe<number | string | null>({ type: ['integer', 'string', 'null'] });

const ProductSchema = Type.Object(
  {
    id: { ...NumberOrText, description: 'The id in the service', examples: [12] },
    name: Nullable(Type.String({ examples: ['Flat white'] })),
    external_id: Nullable(
      Type.String({ description: "The id in the commerce's own system", examples: ['CAFE-12'] }),
    ),
  },
  { title: 'Product' },
);

const PrizeSchema = Type.Object(
  {
    type: BenefitKindSchema,
    title: Nullable(Type.String({ examples: ['Flat white on us'] })),
    description: Nullable(Type.String({ examples: ['Of any size.'] })),
    value: Nullable(Type.Number({ description: 'A percentage or an amount, depending on the type' })),
    product: Nullable(ProductSchema),
    expiration: Nullable(Instant()),
    image: Nullable(
      Type.String({ description: 'The URL of a picture', examples: ['https://luna.example/flat-white.png'] }),
    ),
  },
  { title: 'Prize' },
);

const ShopProductSchema = Type.Object(
  {
    shop_id: Nullable(Int64({ description: 'The id in the online store' })),
    name: Nullable(Type.String()),
    url: Nullable(Type.String({ description: 'The URL of the product page' })),
    available: Nullable(Type.Boolean({ description: 'In stock' })),
    published: Nullable(Type.Boolean()),
    brand: Nullable(Type.String()),
    categories: Type.Array(Type.Object({ id: NumberOrText, name: Nullable(Type.String()) })),
  },
  { title: 'ShopProduct' },
);

const ShopCouponSchema = Type.Object(
  {
    type: StrEnum(['percentage', 'absolute', 'shipping']),
    value: Type.Number(),
    category: Nullable(Type.String({ description: 'The id of the category on the platform' })),
    category_name: Nullable(Type.String()),
    end_date: Nullable(Instant()),
    product: Nullable(ShopProductSchema),
  },
  { title: 'ShopCoupon' },
);

const fields = {
  id: Type.String({ description: 'The benefit_id', examples: ['flat-white'] }),
  type: BenefitKindSchema,
  description: Type.String({ examples: ['Of any size.'] }),
  cost: Int64({ description: 'Points needed to buy it', examples: [180] }),
  expiration: Nullable(Instant({ description: 'null if it does not expire' })),
  benefit_type: StrEnum(['normal', 'welcome', 'birthday', 'monthly_top', 'level'], {
    description: 'normal is for sale; the others are automatic rewards',
  }),
  color: Nullable(Type.String({ description: 'Brand colour, hexadecimal', examples: ['#4b2e83'] })),
  buy_limit: Nullable(
    Int64({ description: 'How many can be bought in total. 0 means no limit', examples: [0] }),
  ),
  prize: Nullable(PrizeSchema),
  shop_coupon: Nullable(ShopCouponSchema),
} satisfies Record<string, TSchema>;

export const BenefitSchema = Type.Object(fields, { title: 'Benefit' });

export const BenefitV2Schema = Type.Object(
  {
    ...fields,
    title: Type.String({ examples: ['Flat white on us'] }),
    value: Nullable(Type.Number({ description: 'A percentage or an amount, depending on the type' })),
    product: Nullable(ProductSchema),
  },
  { title: 'BenefitV2' },
);

/**
 * Returns a benefit in wire form: one from the catalog, or the terms that a voucher has kept since its issue.
 * @param serviceUrl where this caller reaches the service's own pictures
 */
export function benefitToWire(benefit: BenefitTerms, serviceUrl: string): Static<typeof BenefitSchema> {
  return {
    id: benefit.id,
    type: benefit.type,
    description: benefit.description,
    cost: benefit.cost,
    expiration: benefit.expiresAt,
    benefit_type: benefit.benefitType,
    color: benefit.color,
    buy_limit: benefit.buyLimit,
    prize: {
      type: benefit.type,
      title: benefit.title,
      description: benefit.description,
      value: benefit.value,
      product: benefit.product,
      expiration: benefit.expiresAt,
      image: pictureUrl(benefit.image, serviceUrl),
    },
    shop_coupon: benefit.shopCoupon && {
      ...benefit.shopCoupon,
      end_date: dateOf(benefit.shopCoupon.end_date),
    },
  };
}

/** Version 2 has the fields that a till needs at the root. */
export function benefitV2ToWire(benefit: BenefitTerms, serviceUrl: string): Static<typeof BenefitV2Schema> {
  const { title, value, product } = benefit;
  return { ...benefitToWire(benefit, serviceUrl), title, value, product };
}

function dateOf(instant: string | null): Date | null {
  return instant === null ? null : new Date(instant);
}
