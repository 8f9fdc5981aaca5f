/** A shop in the middle of its day, with a customer for every state that a till can show. */
import { randomUUID } from 'node:crypto';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { makeStaff, type BackOffice } from '#test/staff.ts';

export interface TillWorld {
  readonly shop: Shop;
  /** By what they are in. */
  readonly customers: Readonly<
    Record<'regular' | 'rich' | 'negative' | 'blocked' | 'left' | 'holder', MadeMember>
  >;
  /** The address whose points wait. */
  readonly invited: string;
  readonly codes: Readonly<Record<'usable' | 'used' | 'expired', number>>;
}

const DAY = 86_400_000;
export const LONG_NAME = 'Maximiliana Alexandrovna Montgomery-Fitzgerald the Third ABC';

/** People who work at another shop with these addresses work here too. */
export async function makeTillWorld(emails: { cashier: string; manager: string }): Promise<TillWorld> {
  const now = Date.now();
  const shop = await makeShop({
    name: 'Harbour Bakery',
    category_name: 'Bakery',
    color: '#0f5c6e',
    locale: 'en-GB',
    currency: 'ARS',
    time_zone: 'America/Argentina/Buenos_Aires',
    sandbox: true,
    earning: {
      money_per_point: 100,
      double_points: [
        { from: new Date(now + 60 * DAY).toISOString(), to: new Date(now + 300 * DAY).toISOString() },
      ],
    },
    points_expiration: { mode: 'rolling', months: 6 },
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
        cost: 60,
        image: '/pictures/coffee.svg',
        valid_days: 30,
      }),
      benefit('croissant', {
        type: 'free_product',
        title: 'Butter croissant',
        description: 'Still warm before nine',
        value: null,
        cost: 80,
        image: '/pictures/croissant.svg',
        valid_days: 2,
      }),
      benefit('ten-off', { title: '10% off', description: 'On one purchase', cost: 30 }),
    ],
  });
  const cashier = await makeStaff(shop, 'cashier', { email: emails.cashier });
  await makeStaff(shop, 'manager', { email: emails.manager });

  const regular = await named(shop, 'ana', 'Ana Lucía Fernández');
  const holder = await named(shop, 'tom', 'Tom Becker');
  await shop.sell(regular, 20_600);
  await shop.sell(holder, 60_000);
  const expired = await shop.voucher(holder, 'croissant');
  const used = await shop.voucher(holder, 'coffee');
  await shop.post('/v1/benefits/redeem', { client_benefit_code: used });
  await shop.moveClock('160 days');
  await shop.sell(regular, 44_000);
  await shop.voucher(regular, 'coffee');
  await shop.voucher(regular, 'ten-off');
  const stillUsable = await shop.voucher(await withPoints(shop, 'priya', 'Priya Nair'), 'coffee');

  const rich = await named(shop, 'maximiliana', LONG_NAME);
  for (let i = 0; i < 3; i++) await shop.sell(rich, 1_000_000_000);
  const negative = await named(shop, 'noor', 'Noor el Idrissi');
  const sold = await shop.post('/v1/consumptions/client-code', {
    client_code: negative.code,
    amount: 15_000,
  });
  for (let i = 0; i < 4; i++) await shop.voucher(negative, 'coffee');
  await shop.post(`/v1/consumptions/${sold.headers.get('x-consumption-id')}/reversal`, {});
  const blocked = await withPoints(shop, 'mara', 'Mara Quint');
  const left = await withPoints(shop, 'jo', 'Jo Lindqvist');
  await shop.voucher(left, 'coffee');
  await shop.block(blocked);
  await shop.leave(left);

  await sellAt(cashier, holder, 980);
  await sellAt(cashier, rich, 3_200);
  await redeemAt(cashier, stillUsable);
  await sellAt(cashier, negative, 640);
  const mistake = await sellAt(cashier, holder, 17_500);
  await cashier.post(
    `purchases/${mistake}/reversal`,
    { register_id: 3 },
    { 'idempotency-key': randomUUID() },
  );
  const invited = `new-customer-${shop.slug}@example.com`;
  await cashier.post(
    'purchases',
    { client_email: invited, amount: 2_400, register_id: 3 },
    { 'idempotency-key': randomUUID() },
  );
  await sellAt(cashier, regular, 1_750);
  return {
    shop,
    customers: { regular, rich, negative, blocked, left, holder },
    invited,
    codes: { usable: await shop.voucher(holder, 'coffee'), used, expired },
  };
}

/** Enough for five coffees. */
async function withPoints(shop: Shop, name: string, username: string): Promise<MadeMember> {
  const member = await named(shop, name, username);
  await shop.sell(member, 15_000);
  return member;
}

async function named(shop: Shop, name: string, username: string): Promise<MadeMember> {
  const member = await shop.member(`${name}-${shop.slug}`);
  await (await shop.browser(member)).patch('/v1/me', { username });
  return member;
}

async function sellAt(cashier: BackOffice, { code }: MadeMember, amount: number): Promise<number> {
  const { body } = await cashier.post('find', { text: String(code) });
  const [found] = (body as { members: { member_id: number }[] }).members;
  const recorded = await cashier.post(
    'purchases',
    { member_id: found!.member_id, amount, register_id: 3 },
    { 'idempotency-key': randomUUID() },
  );
  return (recorded.body as { consumption_id: number }).consumption_id;
}

async function redeemAt(cashier: BackOffice, code: number): Promise<void> {
  await cashier.post(`vouchers/${code}/redemption`, { register_id: 3 }, { 'idempotency-key': randomUUID() });
}
