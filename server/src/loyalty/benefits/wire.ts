import { Type, type Static, type TSchema } from 'typebox';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { pictureUrl } from '#pictures/picture-url.ts';
import type { BenefitTerms } from './benefit-terms.ts';

const BenefitKindSchema = StrEnum(['percentage_discount', 'absolute_discount', 'free_product']);

/** An id that the commerce's file gives as a number is returned as a number. */
const NumberOrText = Type.Unsafe<number | string | null>({ type: ['integer', 'string', 'null'] });

const ProductSchema = Type.Object(
  {
    id: { ...NumberOrText, description: 'The id that the shop gave the product.', examples: [7] },
    name: Nullable(Type.String({ description: 'The name of the product.', examples: ['Flat white'] })),
    external_id: Nullable(
      Type.String({ description: 'The id in the shop’s own system.', examples: ['SKU-7'] }),
    ),
  },
  { title: 'Product' },
);

const PrizeSchema = Type.Object(
  {
    type: BenefitKindSchema,
    title: Nullable(Type.String({ examples: ['A coffee on us'] })),
    description: Nullable(Type.String({ examples: ['Any coffee, any size'] })),
    value: Nullable(
      Type.Number({
        description: 'A percentage or an amount, by `type`. Null for a free product.',
        examples: [null],
      }),
    ),
    product: Nullable(ProductSchema),
    expiration: Nullable(Instant()),
    image: Nullable(
      Type.String({ description: 'The URL of a picture.', examples: ['https://harbour.example/coffee.svg'] }),
    ),
  },
  { title: 'Prize' },
);

const ShopProductSchema = Type.Object(
  {
    shop_id: Nullable(Int64({ description: 'The id in the online shop.', examples: [88] })),
    name: Nullable(Type.String({ examples: ['Flat white'] })),
    url: Nullable(
      Type.String({
        description: 'The page of the product.',
        examples: ['https://harbour.example/flat-white'],
      }),
    ),
    available: Nullable(Type.Boolean({ description: 'True if it is in stock.', examples: [true] })),
    published: Nullable(Type.Boolean({ description: 'True if the shop shows it.', examples: [true] })),
    brand: Nullable(Type.String({ examples: ['Harbour Bakery'] })),
    categories: Type.Array(
      Type.Object({
        id: { ...NumberOrText, description: 'The id of the category.', examples: ['bread'] },
        name: Nullable(Type.String({ examples: ['Bread'] })),
      }),
    ),
  },
  { title: 'ShopProduct' },
);

const ShopCouponSchema = Type.Object(
  {
    type: StrEnum(['percentage', 'absolute', 'shipping'], {
      description: 'A percentage off, an amount off, or off the shipping.',
    }),
    value: Type.Number({ description: 'A percentage or an amount, by `type`.', examples: [10] }),
    category: Nullable(
      Type.String({
        description: 'The id of the category that the coupon is limited to.',
        examples: ['bread'],
      }),
    ),
    category_name: Nullable(Type.String({ description: 'Its name.', examples: ['Bread'] })),
    end_date: Nullable(Instant()),
    product: Nullable(ShopProductSchema),
  },
  { title: 'ShopCoupon' },
);

const fields = {
  id: Type.String({ description: 'The `benefit_id`.', examples: ['coffee'] }),
  type: BenefitKindSchema,
  description: Type.String({ examples: ['Any coffee, any size'] }),
  cost: Int64({ description: 'Its price in points.', examples: [60] }),
  expiration: Nullable(
    Instant({ description: 'The last moment to buy and to redeem it. Null if it does not expire.' }),
  ),
  benefit_type: StrEnum(['normal', 'welcome', 'birthday', 'monthly_top', 'level'], {
    description: '`normal` is for sale. The others are given automatically.',
  }),
  color: Nullable(
    Type.String({ description: 'The color of the benefit as `#rrggbb`.', examples: ['#7a4a2a'] }),
  ),
  buy_limit: Nullable(
    Int64({
      description: 'How many can be bought in total, by all members. 0 and null mean no limit.',
      examples: [0],
    }),
  ),
  prize: Nullable(PrizeSchema),
  shop_coupon: Nullable(ShopCouponSchema),
} satisfies Record<string, TSchema>;

export const BenefitSchema = Type.Object(fields, { title: 'Benefit' });

export const BenefitV2Schema = Type.Object(
  {
    ...fields,
    title: Type.String({ examples: ['A coffee on us'] }),
    value: Nullable(
      Type.Number({
        description: 'A percentage or an amount, by `type`. Null for a free product.',
        examples: [null],
      }),
    ),
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
