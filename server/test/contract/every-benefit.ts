/** A catalog with a benefit of every shape, and the contract's Benefit for each, written out by hand. */
import type { ProgramFields } from '#test/make.ts';

const noProduct = { id: null, name: null, external_id: null };

const shapes: readonly { readonly file: ProgramFields; readonly prize: object; readonly wire?: object }[] = [
  {
    file: { id: 'plain-percentage', type: 'percentage_discount', title: 'Ten percent', cost: 5, value: 10 },
    prize: { title: 'Ten percent', value: 10 },
  },
  {
    file: {
      id: 'full-percentage',
      type: 'percentage_discount',
      title: 'Half',
      description: 'Half of\nit all',
      cost: 9,
      value: 12.5,
      color: '#C9A227',
      image: 'https://shop.example/half.png',
      expiration: '2031-01-02T03:04:05+02:00',
      valid_days: 30,
      buy_limit: 7,
      shop_coupon: {
        type: 'percentage',
        value: 12.5,
        category: '77',
        category_name: 'Shoes',
        end_date: '2030-06-01T00:00:00Z',
        product: {
          shop_id: 9_007_199_254_740_991,
          name: 'Boot',
          url: 'https://shop.example/boot',
          available: true,
          published: false,
          brand: 'Luna',
          categories: [
            { id: 4, name: 'Shoes' },
            { id: 'x-5', name: null },
            { id: null, name: null },
          ],
        },
      },
    },
    prize: {
      title: 'Half',
      description: 'Half of\nit all',
      value: 12.5,
      expiration: '2031-01-02T01:04:05.000Z',
      image: 'https://shop.example/half.png',
    },
    wire: {
      description: 'Half of\nit all',
      expiration: '2031-01-02T01:04:05.000Z',
      color: '#C9A227',
      buy_limit: 7,
      shop_coupon: {
        type: 'percentage',
        value: 12.5,
        category: '77',
        category_name: 'Shoes',
        end_date: '2030-06-01T00:00:00.000Z',
        product: {
          shop_id: 9_007_199_254_740_991,
          name: 'Boot',
          url: 'https://shop.example/boot',
          available: true,
          published: false,
          brand: 'Luna',
          categories: [
            { id: 4, name: 'Shoes' },
            { id: 'x-5', name: null },
            { id: null, name: null },
          ],
        },
      },
    },
  },
  {
    file: {
      id: 'amount',
      type: 'absolute_discount',
      title: 'Four off',
      cost: 0,
      value: 4.125,
      shop_coupon: { type: 'absolute', value: 4, product: {} },
    },
    prize: { title: 'Four off', value: 4.125 },
    wire: {
      shop_coupon: {
        type: 'absolute',
        value: 4,
        category: null,
        category_name: null,
        end_date: null,
        product: {
          shop_id: null,
          name: null,
          url: null,
          available: null,
          published: null,
          brand: null,
          categories: [],
        },
      },
    },
  },
  {
    file: {
      id: 'amount-with-image',
      type: 'absolute_discount',
      title: 'Big',
      cost: 3,
      value: 1_000_000_000_000,
      image: 'https://shop.example/big.png',
    },
    prize: { title: 'Big', value: 1_000_000_000_000, image: 'https://shop.example/big.png' },
  },
  {
    file: {
      id: 'product-by-number',
      type: 'free_product',
      title: 'Coffee',
      cost: 2,
      product: { id: 12, name: 'Flat white', external_id: 'CAFE-12' },
      shop_coupon: { type: 'shipping', value: 0 },
    },
    prize: { title: 'Coffee', product: { id: 12, name: 'Flat white', external_id: 'CAFE-12' } },
    wire: {
      shop_coupon: {
        type: 'shipping',
        value: 0,
        category: null,
        category_name: null,
        end_date: null,
        product: null,
      },
    },
  },
  {
    file: {
      id: 'product-by-text',
      type: 'free_product',
      title: 'Tea',
      cost: 2,
      product: { id: '12' },
      expiration: '2031-12-31T23:59:59.999Z',
    },
    prize: { title: 'Tea', product: { ...noProduct, id: '12' }, expiration: '2031-12-31T23:59:59.999Z' },
    wire: { expiration: '2031-12-31T23:59:59.999Z' },
  },
  {
    file: {
      id: 'product-without-id',
      type: 'free_product',
      title: 'Cake',
      cost: 2,
      product: { name: 'Cake' },
    },
    prize: { title: 'Cake', product: { ...noProduct, name: 'Cake' } },
  },
  {
    file: { id: 'no-product', type: 'free_product', title: 'Surprise', cost: 2, valid_days: 1 },
    prize: { title: 'Surprise' },
  },
];

/** The benefits for the program file: one of every shape, all on sale. */
export const everyBenefit: readonly ProgramFields[] = shapes.map(({ file }) => file);

/** The same benefits as the contract's Benefit, in the same order. */
export const everyBenefitOnTheWire: readonly WireBenefit[] = shapes.map(({ file, prize, wire = {} }) => {
  const { id, type, cost } = file as { id: string; type: string; cost: number };
  return {
    id,
    type,
    description: '',
    cost,
    expiration: null,
    benefit_type: 'normal',
    color: null,
    buy_limit: 0,
    prize: {
      type,
      title: null,
      description: '',
      value: null,
      product: null,
      expiration: null,
      image: null,
      ...prize,
    },
    shop_coupon: null,
    ...wire,
  };
});

/** Returns the benefit as version 2 of the code lookup shows it, with title, value and product also at the root. */
export function inVersion2(benefit: WireBenefit): object {
  const { title, value, product } = benefit.prize;
  return { ...benefit, title, value, product };
}

export interface WireBenefit {
  readonly id: string;
  readonly cost: number;
  readonly prize: { readonly title?: unknown; readonly value?: unknown; readonly product?: unknown };
}
