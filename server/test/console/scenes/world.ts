/** The shop that the pictures of the console show. */
import type { StaffRole } from '#http/staff-role.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';
import { makeTillWorld, type TillWorld } from './till-world.ts';

export interface World {
  readonly shop: Shop;
  readonly staff: Readonly<Record<StaffRole, MadeStaff>>;
  /** A regular, with a code in hand. */
  readonly member: MadeMember;
  /** A name of 60 characters and very large figures. */
  readonly rich: MadeMember;
  /** A shop where nothing has happened. */
  readonly empty: Shop;
  readonly till: TillWorld;
}

export async function makeWorld(): Promise<World> {
  const shop = await makeShop({
    name: 'Harbour Bakery',
    category_name: 'Bakery',
    color: '#0f5c6e',
    locale: 'en-GB',
    sandbox: true,
    points_expiration: { mode: 'rolling', months: 12 },
    levels: {
      ladder: [
        { id: 'deckhand', name: 'Deckhand', threshold: 0, points_multiplier: 1 },
        { id: 'captain', name: 'Captain', threshold: 500, points_multiplier: 1.5 },
        { id: 'admiral', name: 'Admiral', threshold: 1500, points_multiplier: 2 },
      ],
    },
    benefits: [
      benefit('coffee', {
        type: 'free_product',
        title: 'A coffee on us',
        description: 'Any coffee, any size',
        value: null,
        cost: 120,
        product: { name: 'Flat white' },
        valid_days: 30,
      }),
      benefit('ten-off', { title: '10% off', description: 'On one purchase', cost: 300 }),
    ],
    rewards: { welcome: { points: 50 } },
  });
  const empty = await makeShop({ name: 'A new shop', color: '#334155' });
  const owner = await makeStaff(shop, 'owner');
  await makeStaff(empty, 'owner', { email: owner.email });
  const staff = {
    owner,
    manager: await makeStaff(shop, 'manager'),
    cashier: await makeStaff(shop, 'cashier'),
  };

  const member = await named(shop, 'ana', 'Ana Lucía Fernández');
  for (const [wait, amount] of [
    ['30 days', 240],
    ['28 days', 310],
    ['25 days', 96],
    ['20 days', 175],
    ['1 day', 64],
  ] as const) {
    await shop.moveClock(wait);
    await shop.sell(member, amount);
  }
  await shop.voucher(member, 'coffee');
  const rich = await named(
    shop,
    'maximiliana',
    'Maximiliana Alexandrovna Montgomery-Fitzgerald the Third ABC',
  );
  await shop.sell(rich, 493_827_160);
  for (const [name, full] of [
    ['tom', 'Tom Becker'],
    ['priya', 'Priya Nair'],
    ['noor', 'Noor el Idrissi'],
  ] as const)
    await shop.sell(await named(shop, name, full), 30 + full.length * 7);
  await makeStaff(empty, 'cashier', { email: staff.cashier.email });
  const till = await makeTillWorld({ cashier: staff.cashier.email, manager: staff.manager.email });
  return { shop, staff, member, rich, empty, till };
}

async function named(shop: Shop, name: string, username: string): Promise<MadeMember> {
  const member = await shop.member(`${name}-${shop.slug}`);
  await (await shop.browser(member)).patch('/v1/me', { username });
  return member;
}
