/** A shop with something to report, for the tests and the pictures of Home and the reports. */
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { makeStaff, type MadeStaff } from '#test/staff.ts';

export interface ReportedShop {
  readonly shop: Shop;
  readonly manager: MadeStaff;
  readonly ana: MadeMember;
}

/** Eight weeks of a small shop: purchases of three members, codes, a return, and points that end soon. */
export async function makeReportedShop(): Promise<ReportedShop> {
  const shop = await makeShop({
    name: 'Harbour Bakery',
    color: '#0f5c6e',
    sandbox: true,
    points_expiration: { mode: 'rolling', months: 2 },
    levels: {
      ladder: [
        { id: 'deckhand', name: 'Deckhand', threshold: 0, points_multiplier: 1 },
        { id: 'captain', name: 'Captain', threshold: 300, points_multiplier: 1.5 },
      ],
    },
    benefits: [
      benefit('coffee', { title: 'A coffee on us', cost: 40 }),
      benefit('loaf', { title: 'Country loaf', cost: 60, buy_limit: 1 }),
    ],
    rewards: { welcome: { points: 20 } },
  });
  const manager = await makeStaff(shop, 'manager');
  const ana = await shop.member(`ana-${shop.slug}`);
  await shop.sell(ana, 120);
  await shop.moveClock('20 days');
  const tom = await shop.member(`tom-${shop.slug}`);
  await shop.sell(tom, 75);
  await shop.sell(ana, 210);
  await shop.voucher(ana, 'coffee');
  await shop.moveClock('19 days');
  await shop.sell(tom, 33);
  await shop.voucher(ana, 'loaf');
  await shop.moveClock('10 days');
  const priya = await shop.member(`priya-${shop.slug}`);
  const { headers } = await shop.post('/v1/consumptions/client-code', {
    client_code: priya.code,
    amount: 64,
  });
  await shop.moveClock('7 days');
  await manager.post(
    `purchases/${headers.get('x-consumption-id')}/reversal`,
    { amount: 14, reason: 'one loaf was returned' },
    { 'idempotency-key': crypto.randomUUID() },
  );
  await shop.sell(ana, 18);
  await shop.sell(priya, 24);
  return { shop, manager, ana };
}
