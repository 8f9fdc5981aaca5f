/** The shop that the pictures of the console show. */
import type { StaffRole } from '#http/staff-roles.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { settingUp, type SettingUp } from '#test/set-up.ts';
import { makeSetUpLink } from '#set-up/set-up-link.ts';
import { service } from '#test/harness.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';
import { makeTillWorld, type TillWorld } from './till-world.ts';

export interface World {
  readonly shop: Shop;
  readonly staff: Readonly<Record<StaffRole, MadeStaff>>;
  /** A regular, with a code in hand. */
  readonly member: MadeMember;
  /** A name of 60 characters and very large figures. */
  readonly rich: MadeMember;
  /** Blocked by staff. */
  readonly blocked: MadeMember;
  /** Below zero: a purchase was taken back after its points were spent. */
  readonly negative: MadeMember;
  /** Ids of the back office: of a person who has not joined, and of one who was erased. */
  readonly ids: { readonly invited: number; readonly erased: number };
  /** A shop where nothing has happened. */
  readonly empty: Shop;
  readonly till: TillWorld;
  /** Somebody who sets up a shop, and has answered everything. */
  readonly setUp: SettingUp;
  /** A set-up link that nobody has opened. */
  readonly freshLink: string;
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
  const setUp = await settingUp({
    name: 'Corner Bakery',
    color: '#b5481a',
    locale: 'en-GB',
    money_per_point: 1,
    benefit: 'product',
    step: 'open',
  });
  const blocked = await named(shop, 'bruno', 'Bruno Costa');
  await shop.sell(blocked, 90);
  const { manager } = staff;
  await manager.post(`members/${await idOf(manager, blocked)}/block`, { reason: 'the card was stolen' });
  return {
    shop,
    staff,
    member,
    rich,
    empty,
    till,
    setUp,
    freshLink: await makeSetUpLink((await service()).db),
    blocked,
    negative: await makeNegative(shop, manager),
    ids: { invited: await makeInvited(shop, manager), erased: await makeErased(shop, manager) },
  };
}

async function named(shop: Shop, name: string, username: string): Promise<MadeMember> {
  const member = await shop.member(`${name}-${shop.slug}`);
  await (await shop.browser(member)).patch('/v1/me', { username });
  return member;
}

async function makeNegative(shop: Shop, manager: MadeStaff): Promise<MadeMember> {
  const member = await named(shop, 'nadia', 'Nadia Haddad');
  await shop.sell(member, 100);
  await shop.voucher(member, 'coffee');
  const { body } = await manager.get(`members/${await idOf(manager, member)}/history?kind=purchase`);
  const { id } = (body as { results: { id: number }[] }).results[0]!;
  const key = { 'idempotency-key': crypto.randomUUID() };
  const { status } = await manager.post(`purchases/${id}/reversal`, { reason: 'returned' }, key);
  if (status !== 201) throw new Error(`the purchase was not taken back: ${status}`);
  return member;
}

async function makeInvited(shop: Shop, manager: MadeStaff): Promise<number> {
  const email = `newcomer-${shop.slug}@example.com`;
  await shop.post('/v1/consumptions/email', { client_email: email, amount: 9 });
  return idOf(manager, email);
}

async function makeErased(shop: Shop, manager: MadeStaff): Promise<number> {
  const member = await shop.member(`gone-${shop.slug}`);
  await shop.sell(member, 44);
  const id = await idOf(manager, member);
  await manager.post(`members/${id}/erasure`, {
    confirm: String(member.code),
    reason: 'asked for by letter',
  });
  return id;
}

async function idOf(manager: MadeStaff, who: MadeMember | string): Promise<number> {
  const { body } = await manager.post('find', { text: typeof who === 'string' ? who : String(who.code) });
  return (body as { members: { member_id: number }[] }).members[0]!.member_id;
}
