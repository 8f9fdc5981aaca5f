import { stringify } from 'yaml';
import { logOut, openShop, refresh, stealSession, type Shop, type World } from './world.ts';

/**
 * A café with points that expire on their own, a ladder of points that starts at 0 and is held for ever, limited
 * benefits, coupons, all three rewards and reminders. In two and a half years its ladder changes three times: tiers
 * are renamed, added, moved and removed, and members keep what they were given under each.
 */
export async function liveCafeLuna(world: World): Promise<Shop> {
  const shop = await openShop(world, stringify(first));
  for (const name of ['ana', 'bruno', 'carla', 'dario', 'irene', 'julia', 'kike', 'lola', 'sofia'])
    await shop.signIn(`${name}@example.com`);
  await shop.profile('ana@example.com', { birth_date: '1992-02-29', phone: '+5491122334455' });
  await shop.profile('bruno@example.com', { username: 'Bruno «el rápido»', birth_date: '1985-12-31' });
  await shop.profile('lola@example.com', { phone: '+34600111222', birth_date: '2000-06-15' });

  // Purchases of the first days: with branch and register, with keys and without, for people who have not joined.
  await shop.setClock('2024-01-10T15:00:00Z');
  const early = await shop.sell('ana@example.com', 30_000, { id_suc: 12, counter_id: 3 }, 'luna-ticket-1');
  await shop.sell('bruno@example.com', 12_050, { id_suc: null, counter_id: 1 });
  const wasted = await shop.sell('irene@example.com', 61_000, {}, 'luna-ticket-2');
  await shop.sellByEmail('julia@example.com', 52_000, 'luna-ticket-3');
  await shop.sellByEmail('gabi@example.com', 45_500, 'luna-ticket-4');
  await shop.sellByEmail('hugo@example.com', 75_000);
  await shop.sell('kike@example.com', 99);
  await shop.sell('lola@example.com', 50_000);

  // Double points; a purchase that climbs one tier, and one that climbs two and is taken back piece by piece.
  await shop.setClock('2024-03-06T15:00:00Z');
  const climbed = await shop.sell('ana@example.com', 20_150, { counter_id: 3 });
  const jumped = await shop.sell('carla@example.com', 130_000, { id_suc: 2 }, 'luna-ticket-5');
  const kept = await shop.sell('dario@example.com', 40_000);
  await shop.setClock('2024-03-09T15:00:00Z');
  await shop.sell('ana@example.com', 120_000, { counter_id: 3 });
  await shop.reverse(kept, 5_000, 'luna-return-1');
  await shop.reverse(jumped, 20_000, 'luna-return-2');
  await shop.reverse(jumped, 60_000);
  await shop.reverse(jumped, undefined, 'luna-return-3');
  await shop.reverse(early, 10_000);

  // Benefits: bought and used, bought and kept, sold out, given back; a reward's voucher used; a debt.
  const coffee = await shop.exchange('ana@example.com', 'flat-white', 'luna-exchange-1');
  await shop.redeem(coffee, 'luna-redeem-1');
  await shop.exchange('ana@example.com', 'ten-percent');
  await shop.exchange('ana@example.com', 'tasting', 'luna-exchange-2');
  await shop.exchange('irene@example.com', 'tasting');
  const returned = await shop.exchange('julia@example.com', 'tasting');
  await shop.giveBack(returned);
  await shop.exchange('julia@example.com', 'ten-percent');
  await shop.redeem(await shop.voucherOf('ana@example.com', 'full-moon-breakfast'));
  await shop.redeem(await shop.voucherOf('irene@example.com', 'hello-cookie'));
  const spent = await shop.sell('dario@example.com', 20_000, {}, 'luna-ticket-6');
  await shop.exchange('dario@example.com', 'flat-white');
  await shop.exchange('dario@example.com', 'tasting');
  await shop.reverse(spent);
  await shop.reverse(kept);

  await shop.leave('irene@example.com');
  await shop.block('kike@example.com', 'hands his code around');
  await shop.advance('2 months');

  // The ladder is renamed and raised; a benefit costs more. Nobody falls.
  await shop.apply(stringify(renamed));
  await shop.signIn('hugo@example.com');
  await shop.importMembers(MEMBERS, { welcome: true });
  await shop.importPurchases(PURCHASES);
  await shop.sell('bruno@example.com', 33_300, { counter_id: 2 }, 'luna-ticket-7');
  await shop.sell('hugo@example.com', 180_000);
  await shop.sell('dario@example.com', 10_000);
  await shop.sell('mara@example.com', 10_000);
  await shop.leave('julia@example.com');
  await refresh(world, shop, 'bruno@example.com');
  await shop.signIn('nico@example.com');
  await shop.signIn('olga@example.com');
  await shop.signIn('tomas@example.com');
  await shop.profile('nico@example.com', { birth_date: null });
  await shop.advance('5 months');

  // A tier comes in between and one on top; points are good for longer; a benefit is withdrawn.
  await shop.apply(stringify(grown));
  await shop.join('julia@example.com');
  await shop.pin('olga@example.com', 'luna-llena');
  await shop.sell('ana@example.com', 250_000, {}, 'luna-ticket-8');
  await shop.sell('bruno@example.com', 21_000);
  await shop.exchange('hugo@example.com', 'ten-percent', 'luna-exchange-3');
  await shop.exchange('ana@example.com', 'flat-white');
  await shop.sell('lola@example.com', 5_000);
  await shop.exchange('lola@example.com', 'ten-percent');
  await shop.erase('lola@example.com');
  world.people.delete('lola@example.com');
  await shop.reverse(climbed, undefined, 'luna-return-4');
  await shop.advance('8 months');

  // A tier in the middle goes, and points are good for less long. Its holders have what the ladder says today.
  await shop.apply(stringify(shrunk));
  await shop.sell('bruno@example.com', 44_400, { id_suc: 7 });
  await shop.sell('nico@example.com', 61_000);
  await shop.signIn('elena@example.com');
  await shop.sell('elena@example.com', 26_000, {}, 'luna-ticket-9');
  await shop.sellByEmail('gabi@example.com', 26_000);
  await shop.exchange('hugo@example.com', 'flat-white');
  await shop.reverse(early, 5_000, 'luna-return-5');
  await shop.advance('11 months');
  // What expired unspent is taken back from nobody.
  await shop.reverse(wasted, 30_000, 'luna-return-6');
  await shop.sell('hugo@example.com', 91_500);
  await shop.sell('nico@example.com', 20_000);
  await shop.sell('carla@example.com', 15_000);
  await shop.sell('julia@example.com', 5_100);
  await shop.sell('ana@example.com', 19_250, {}, 'luna-ticket-10');
  for (let visit = 0; visit < 24; visit++) await shop.sell('bruno@example.com', 1_000 + 7 * visit);
  await shop.exchange('ana@example.com', 'ten-percent', 'luna-exchange-4');
  await logOut(world, shop, 'tomas@example.com');
  await stealSession(world, shop, 'sofia@example.com');
  await shop.setClock('2026-07-15T15:30:00Z');
  return shop;
}

const MEMBERS = `email,username,birth_date,phone,points
mara@example.com,Mara,1970-03-08,+5491155556666,0
nico@example.com,,1999-08-01,,640
olga@example.com,Olga Ñ,,,2600
rita@example.com,Rita,2001-01-01,,12
`;

const PURCHASES = `client_email,amount,date,id_suc,counter_id,external_id
mara@example.com,45000,2024-01-20,2,,till-0001
nico@example.com,3000,2024-02-03T18:30,,4,till-0002
tomas@example.com,8000,2024-02-04,,,
tomas@example.com,8000,2024-02-04,,,
rita@example.com,15500,2024-03-06T12:00:00-03:00,2,1,till-0003
`;

const first = {
  slug: 'cafe-luna',
  name: 'Café Luna',
  sandbox: true,
  clock: '2024-01-08T15:00:00Z',
  logo: 'https://cafe-luna.example/logo.png',
  color: '#4b2e83',
  category_name: 'Coffee and cakes',
  currency: 'ARS',
  time_zone: 'America/Argentina/Buenos_Aires',
  locale: 'es',
  earning: {
    money_per_point: 100,
    max_amount: 5_000_000,
    double_points: [{ from: '2024-03-05T00:00:00-03:00', to: '2024-03-08T00:00:00-03:00' }],
  },
  points_expiration: { mode: 'rolling', months: 12 },
  levels: {
    ladder: [
      { id: 'luna-nueva', name: 'Luna nueva', threshold: 0 },
      {
        id: 'media-luna',
        name: 'Media luna',
        threshold: 500,
        points_multiplier: 1.25,
        icon_url: 'https://cafe-luna.example/half.png',
      },
      {
        id: 'luna-llena',
        name: 'Luna llena',
        threshold: 1500,
        points_multiplier: 1.5,
        benefit: 'full-moon-breakfast',
      },
    ],
  },
  benefits: [
    {
      id: 'flat-white',
      type: 'free_product',
      title: 'Flat white de la casa',
      description: 'Un flat white, del tamaño que quieras.',
      cost: 180,
      product: { id: 12, name: 'Flat white', external_id: 'CAFE-12' },
      valid_days: 45,
    },
    {
      id: 'ten-percent',
      type: 'percentage_discount',
      title: '10 % en tu compra',
      cost: 120,
      value: 10,
      color: '#c9a227',
      image: 'https://cafe-luna.example/ten.png',
      valid_days: 30,
      shop_coupon: { type: 'percentage', value: 10 },
    },
    {
      id: 'tasting',
      type: 'absolute_discount',
      title: '4000 menos en la cata',
      description: 'Para la cata del último jueves del mes.\nTres lugares.',
      cost: 200,
      value: 4000,
      buy_limit: 3,
      expiration: '2028-01-01T00:00:00-03:00',
    },
    {
      id: 'hello-cookie',
      benefit_type: 'welcome',
      type: 'free_product',
      title: 'Galleta de bienvenida',
      product: { name: 'Galleta de avena' },
      valid_days: 75,
    },
    {
      id: 'birthday-slice',
      benefit_type: 'birthday',
      type: 'free_product',
      title: 'Porción de torta',
      product: { name: 'Porción de torta' },
      valid_days: 15,
    },
    {
      id: 'full-moon-breakfast',
      benefit_type: 'level',
      type: 'percentage_discount',
      title: 'Desayuno a mitad de precio',
      value: 50,
      valid_days: 90,
    },
  ],
  rewards: {
    welcome: { benefit: 'hello-cookie' },
    birthday: { benefit: 'birthday-slice' },
    monthly_top: { points: 400, settle_days: 3 },
  },
  mail: { sender: 'Café Luna', reminders: true },
};

const [moonless, half, full] = first.levels.ladder;

const renamed = {
  ...first,
  levels: {
    ladder: [
      moonless,
      { ...half, id: 'media-luna', name: 'Cuarto creciente', threshold: 600 },
      { ...full, threshold: 2500 },
    ],
  },
  benefits: first.benefits.map((benefit) =>
    benefit.id === 'ten-percent' ? { ...benefit, cost: 150 } : benefit,
  ),
  earning: {
    ...first.earning,
    double_points: [
      ...first.earning.double_points,
      { from: '2026-12-01T00:00:00-03:00', to: '2026-12-08T00:00:00-03:00' },
    ],
  },
};

const grown = {
  ...renamed,
  points_expiration: { mode: 'rolling', months: 18 },
  levels: {
    ladder: [
      moonless,
      {
        id: 'luna-creciente',
        name: 'Luna creciente',
        threshold: 200,
        points_multiplier: 1.1,
        benefit: 'crescent-roll',
      },
      { ...half, id: 'media-luna', name: 'Cuarto creciente', threshold: 600 },
      { ...full, threshold: 2500 },
      { id: 'superluna', name: 'Superluna', threshold: 6000, points_multiplier: 2.125 },
    ],
  },
  benefits: [
    ...renamed.benefits.filter(({ id }) => id !== 'tasting'),
    {
      id: 'crescent-roll',
      benefit_type: 'level',
      type: 'free_product',
      title: 'Una medialuna',
      product: { id: 'ml-1', name: 'Medialuna' },
    },
  ],
};

const shrunk = {
  ...grown,
  points_expiration: { mode: 'rolling', months: 9 },
  levels: { ladder: grown.levels.ladder.filter((tier) => tier?.name !== 'Cuarto creciente') },
};
