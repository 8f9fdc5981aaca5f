import { stringify } from 'yaml';
import { openShop, type Shop, type World } from './world.ts';

/**
 * A wine shop whose tiers are measured in money, begin above zero and are held for months: some are renewed, some are
 * lowered, some run out. The whole balance expires together, first after six months, then after nine, and in the end
 * each grant on its own. Returns of spent points are forgiven. Double points run while the answers are taken.
 */
export async function liveBodega(world: World): Promise<Shop> {
  const shop = await openShop(world, stringify(first));
  for (const name of ['pia', 'quino', 'rosa', 'saul', 'tere', 'ursula', 'vera'])
    await shop.signIn(`${name}@example.com`);
  await shop.join('ana@example.com');
  await shop.profile('pia@example.com', { birth_date: '1988-03-31' });
  await shop.profile('ana@example.com', { username: 'Ana of the cellar', phone: '+34911222333' });

  await shop.setClock('2024-02-05T11:00:00Z');
  await shop.sell('pia@example.com', 3_400, { id_suc: 1, counter_id: 1 }, 'bodega-1');
  await shop.sell('quino@example.com', 10_500, {}, 'bodega-2');
  await shop.sell('rosa@example.com', 1_200);
  await shop.sell('saul@example.com', 430);
  await shop.sell('tere@example.com', 3_100);
  await shop.sell('ursula@example.com', 4_000);
  await shop.sell('vera@example.com', 900);
  await shop.sell('ana@example.com', 260);
  await shop.sellByEmail('walter@example.com', 12_000, 'bodega-3');
  await shop.sellByEmail('xenia@example.com', 1_500);

  // Spent, then returned: what is missing is forgiven.
  const forgiven = await shop.sell('saul@example.com', 520, {}, 'bodega-4');
  await shop.exchange('saul@example.com', 'tasting-glass', 'bodega-exchange-1');
  await shop.exchange('saul@example.com', 'tasting-glass');
  await shop.reverse(forgiven, undefined, 'bodega-return-1');
  const cork = await shop.exchange('pia@example.com', 'corkage', 'bodega-exchange-2');
  await shop.redeem(cork, 'bodega-redeem-1');
  await shop.exchange('quino@example.com', 'delivery');
  await shop.exchange('quino@example.com', 'five-off');
  const glass = await shop.exchange('rosa@example.com', 'tasting-glass');
  await shop.setClock('2024-04-02T10:00:00Z');
  await shop.giveBack(glass, 'The glasses were broken');
  const back = await shop.sell('rosa@example.com', 2_000, {}, 'bodega-5');
  await shop.reverse(back, 1_999);
  await shop.reverse(back, 1);
  await shop.sell('vera@example.com', 150);
  await shop.pin('vera@example.com', 'silver');
  await shop.leave('tere@example.com');
  await shop.block('ursula@example.com', 'charged back');
  await shop.advance('7 months');

  // Silver is easier to reach and tiers are held for half as long.
  await shop.apply(stringify(shorter));
  await shop.sell('pia@example.com', 2_600, {}, 'bodega-6');
  await shop.sell('quino@example.com', 1_100);
  await shop.signIn('xenia@example.com');
  await shop.sell('xenia@example.com', 1_000);
  await shop.importMembers(MEMBERS);
  await shop.importPurchases(PURCHASES, { invite: true });
  await shop.advance('7 months');

  // The lowest tier goes, one comes on top, and balances are good for longer.
  await shop.apply(stringify(higher));
  await shop.sell('pia@example.com', 3_300);
  await shop.sell('quino@example.com', 40, {}, 'bodega-7');
  await shop.sell('ana@example.com', 5_210, { counter_id: 9 });
  await shop.sell('yago@example.com', 2_700);
  await shop.exchange('pia@example.com', 'delivery', 'bodega-exchange-3');
  await shop.advance('3 months');
  await shop.sell('xenia@example.com', 3_000);
  await shop.join('tere@example.com');
  await shop.sell('tere@example.com', 75);

  // From here on each grant expires on its own.
  await shop.apply(stringify(rolling));
  await shop.sell('pia@example.com', 700);
  await shop.sell('saul@example.com', 125);
  await shop.advance('8 months');
  await shop.setClock('2026-05-20T10:00:00Z');
  const double = await shop.sell('pia@example.com', 333, {}, 'bodega-8');
  await shop.sell('ana@example.com', 1_000);
  await shop.reverse(double, 33, 'bodega-return-2');
  await shop.sell('quino@example.com', 2_750);
  await shop.setClock('2026-05-20T10:30:00Z');
  return shop;
}

const MEMBERS = `email,name,points
yago@example.com,Yago,90
zoe@example.com,,0
`;

const PURCHASES = `client_email,amount,date
yago@example.com,800,2024-10-01
zoe@example.com,2600,2024-10-12T09:00:00Z
carla@example.com,3100,2024-11-01
`;

const first = {
  slug: 'bodega',
  name: 'Bodega Sur & Hijos',
  sandbox: true,
  clock: '2024-02-01T11:00:00Z',
  currency: 'EUR',
  time_zone: 'Europe/Madrid',
  locale: 'en',
  earning: {
    money_per_point: 2.5,
    returns: 'clamp',
    double_points: [{ from: '2026-05-01T00:00:00+02:00', to: '2026-06-01T00:00:00+02:00' }],
  },
  points_expiration: { mode: 'accumulated', months: 6 },
  levels: {
    threshold_type: 'amount',
    valid_months: 12,
    ladder: [
      { id: 'bronze', name: 'Bronze', threshold: 1000 },
      { id: 'silver', name: 'Silver', threshold: 3000, points_multiplier: 1.5, benefit: 'silver-glass' },
      { id: 'gold', name: 'Gold', threshold: 10_000, points_multiplier: 2, benefit: 'gold-dinner' },
    ],
  },
  benefits: [
    {
      id: 'tasting-glass',
      type: 'free_product',
      title: 'A glass of the week',
      cost: 150,
      product: { id: 'GLASS-1', name: 'Glass of wine' },
    },
    {
      id: 'corkage',
      type: 'percentage_discount',
      title: 'No corkage',
      cost: 300,
      value: 100,
      valid_days: 365,
      buy_limit: 1,
    },
    {
      id: 'delivery',
      type: 'percentage_discount',
      title: 'Free delivery',
      cost: 80,
      expiration: '2026-01-01T00:00:00+01:00',
      value: 100,
      shop_coupon: { type: 'shipping', value: 0, end_date: '2027-01-01T00:00:00Z' },
    },
    {
      id: 'five-off',
      type: 'absolute_discount',
      title: '5.50 off',
      cost: 110,
      value: 5.5,
      on_sale: true,
      shop_coupon: {
        type: 'absolute',
        value: 5.5,
        category: '77',
        category_name: 'Reds',
        product: {
          shop_id: 4711,
          name: 'Tempranillo',
          url: 'https://bodega.example/tempranillo',
          available: true,
          published: false,
          brand: 'Sur',
          categories: [
            { id: 1, name: 'Reds' },
            { id: 'x-2', name: null },
          ],
        },
      },
    },
    {
      id: 'silver-glass',
      benefit_type: 'level',
      type: 'free_product',
      title: 'A glass for Silver',
      product: { id: 5, name: 'Engraved glass' },
    },
    {
      id: 'gold-dinner',
      benefit_type: 'level',
      type: 'absolute_discount',
      title: '50 off a dinner',
      value: 50,
      expiration: '2025-06-30T21:59:59Z',
    },
    {
      id: 'top-bottle',
      benefit_type: 'monthly_top',
      type: 'free_product',
      title: 'The bottle of the month',
      product: { id: 'TOP', name: 'Bottle' },
      valid_days: 60,
    },
  ],
  rewards: {
    welcome: { points: 50 },
    birthday: { points: 25 },
    monthly_top: { benefit: 'top-bottle', settle_days: 0 },
  },
};

const [bronze, silver, gold] = first.levels.ladder;

const shorter = {
  ...first,
  levels: { ...first.levels, valid_months: 6, ladder: [bronze, { ...silver, threshold: 2500 }, gold] },
};

const higher = {
  ...shorter,
  points_expiration: { mode: 'accumulated', months: 9 },
  levels: {
    ...shorter.levels,
    ladder: [
      { ...silver, threshold: 2500 },
      { ...gold, threshold: 9_000 },
      { id: 'reserva', name: 'Reserva', threshold: 20_000, points_multiplier: 3 },
    ],
  },
  benefits: first.benefits.map((benefit) =>
    benefit.id === 'five-off' ? { ...benefit, on_sale: false } : benefit,
  ),
};

const rolling = { ...higher, points_expiration: { mode: 'rolling', months: 24 } };
