import { stringify } from 'yaml';
import { openShop, type Shop, type World } from './world.ts';

/**
 * A bookshop that changes its mind: points never expire, then each on its own, then together, and its days are first
 * those of Tokyo and then those of Auckland. Returns of spent points are refused. Its clock was moved on past expiries,
 * ends of tiers and a birthday, and no job has run since: whoever reads has to settle all of it.
 */
export async function liveFuji(world: World): Promise<Shop> {
  const shop = await openShop(world, stringify(first));
  for (const name of ['aiko', 'botan', 'chie', 'daiki', 'emi']) await shop.signIn(`${name}@example.com`);
  await shop.profile('aiko@example.com', { birth_date: '1995-07-02' });
  await shop.profile('chie@example.com', { birth_date: '1995-06-30' });
  await shop.sell('aiko@example.com', 52_000, { counter_id: 1 }, 'fuji-1');
  await shop.sell('botan@example.com', 31_999);
  await shop.sell('chie@example.com', 30_000);
  const spent = await shop.sell('daiki@example.com', 12_000, {}, 'fuji-2');
  await shop.exchange('daiki@example.com', 'paperback');
  await shop.refuseReversal(spent);
  await shop.sell('emi@example.com', 31_000);
  await shop.advance('4 months');

  await shop.apply(stringify(expiring));
  await shop.sell('aiko@example.com', 11_000);
  await shop.sell('botan@example.com', 2_000, {}, 'fuji-3');
  await shop.exchange('botan@example.com', 'paperback', 'fuji-exchange-1');
  const moved = await shop.sell('chie@example.com', 21_000);
  await shop.reverse(moved, 20_000, 'fuji-return-1');
  await shop.advance('2 months');
  await shop.sell('botan@example.com', 11_500);
  await shop.sell('emi@example.com', 9_000);

  await shop.apply(stringify(elsewhere));
  await shop.sell('aiko@example.com', 60_000);
  await shop.exchange('emi@example.com', 'paperback');
  await shop.leave('emi@example.com');
  await shop.sell('daiki@example.com', 1_000);
  await shop.sellByEmail('fumi@example.com', 40_000);
  await shop.setClock('2025-06-20T01:00:00Z');
  await shop.sell('chie@example.com', 9_100, {}, 'fuji-4');
  await shop.setClock('2025-07-03T01:00:00Z');
  return shop;
}

const first = {
  slug: 'fuji-books',
  name: 'Fuji Books 富士',
  sandbox: true,
  clock: '2024-06-01T03:00:00Z',
  currency: 'JPY',
  time_zone: 'Asia/Tokyo',
  locale: 'en',
  earning: { money_per_point: 100, returns: 'refuse' },
  levels: {
    valid_months: 3,
    ladder: [
      { name: 'Reader', threshold: 0 },
      { name: 'Bookworm', threshold: 100, points_multiplier: 1.2 },
      { name: 'Scholar', threshold: 300, points_multiplier: 1.5, benefit: 'scholar-tea' },
      { name: 'Sage', threshold: 500, points_multiplier: 2 },
    ],
  },
  benefits: [
    {
      id: 'paperback',
      type: 'absolute_discount',
      title: '500 off a paperback',
      cost: 100,
      value: 500,
      valid_days: 400,
    },
    {
      id: 'scholar-tea',
      benefit_type: 'level',
      type: 'free_product',
      title: 'Tea with the bookseller',
      product: { id: 9, name: 'Tea' },
    },
  ],
};

const expiring = {
  ...first,
  points_expiration: { mode: 'rolling', months: 8 },
  levels: { ...first.levels, valid_months: 4 },
  rewards: { welcome: { points: 10 }, birthday: { points: 30 } },
};

const elsewhere = {
  ...expiring,
  time_zone: 'Pacific/Auckland',
  earning: { money_per_point: 90, returns: 'refuse' },
  points_expiration: { mode: 'accumulated', months: 5 },
  levels: {
    ...expiring.levels,
    ladder: expiring.levels.ladder.filter(({ name }) => name !== 'Bookworm'),
  },
};
