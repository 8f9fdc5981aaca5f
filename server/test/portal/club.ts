/** Makes a shop with everything that a club can show. */
import { benefit, makeShop, type ProgramFields, type Shop } from '#test/make.ts';

export function club(fields: ProgramFields = {}): Promise<Shop> {
  return makeShop({
    name: 'Harbour Bakery',
    category_name: 'Bakery',
    color: '#0f5c6e',
    points_expiration: { mode: 'rolling', months: 12 },
    levels: {
      ladder: [
        { name: 'Bronze', threshold: 0, points_multiplier: 1 },
        { name: 'Silver', threshold: 1000, points_multiplier: 1.25 },
      ],
    },
    benefits: [
      benefit('coffee', {
        type: 'free_product',
        title: 'A coffee on us',
        description: 'Any coffee, any size.',
        value: null,
        cost: 150,
        product: { name: 'Flat white' },
        valid_days: 30,
      }),
      benefit('ten-off', {
        title: '10 % off',
        description: 'On one purchase.',
        cost: 200,
        color: '#c2571a',
        shop_coupon: { type: 'percentage', value: 10 },
        expiration: '2099-01-01T00:00:00Z',
      }),
      benefit('hamper', {
        type: 'absolute_discount',
        title: 'A hamper for the weekend',
        description: 'Bread, cheese and a bottle of wine.\nFor two.',
        value: 25.5,
        cost: 1000,
        buy_limit: 50,
      }),
      benefit('cake', {
        benefit_type: 'birthday',
        type: 'free_product',
        title: 'A birthday cake',
        value: null,
        cost: 0,
      }),
    ],
    rewards: { welcome: { points: 50 }, birthday: { benefit: 'cake' } },
    ...fields,
  });
}
