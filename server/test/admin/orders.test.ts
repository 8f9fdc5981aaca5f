/** The orders of the online shop, as managers and their programs read them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { ApiError, createAdminClient } from '../../../sdk/src/admin.ts';
import { call, service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { makeStaffKey } from '#test/staff.ts';

const { db, url } = await service();

const PROGRAM = {
  sandbox: true,
  clock: '2027-03-15T10:00:00Z',
  benefits: [benefit('coffee', { cost: 0 })],
  codes: { undo_days: 30, with_return: 'restore' },
};

async function makeOffice(shop: Shop) {
  const { key } = await makeStaffKey(shop, 'manager');
  return createAdminClient({ baseUrl: url, key });
}

/** Sends states of orders, each with the next version. */
async function makeWebShop(shop: Shop) {
  const { key } = await createKey(db, shop.id, 'web shop', { scopes: KEY_SCOPES });
  let version = 0;
  return async (id: string, member: MadeMember | string, state: object) => {
    version += 1;
    const buyer = typeof member === 'string' ? { client_email: member } : { client_code: member.code };
    const answer = await call('PUT', `/v1/orders/${encodeURIComponent(id)}`, {
      headers: { authorization: `Bearer ${key}` },
      body: { ...buyer, refunded: 0, codes: [], version, ...state },
    });
    assert.ok(answer.status < 300, answer.text);
  };
}

test('an order shows what the shop said, what each of it wrote, and what became of its codes', async () => {
  const shop = await makeShop(PROGRAM);
  const member = await shop.member('eva');
  const code = await shop.voucher(member, 'coffee');
  const put = await makeWebShop(shop);
  const line = { id: '1', product: 'mug', units: 2, amount: 40 };
  await put('order 1/a', member, { status: 'open', paid: 40, codes: [code] });
  await put('order 1/a', member, { status: 'paid', paid: 40, codes: [code], lines: [line] });
  await put('order 1/a', member, { status: 'paid', paid: 50, codes: [code] });
  await put('order 1/a', member, { status: 'paid', paid: 50, refunded: 20, codes: [code] });
  const office = await makeOffice(shop);
  const before = await office.getShopOrder({ external_id: 'order 1/a' });
  assert.deepEqual(before.lines, [
    { id: '1', product: 'mug', units: 2, amount: 40, returned_units: null, returned_amount: null },
  ]);
  await put('order 1/a', member, { status: 'cancelled', paid: 50, refunded: 20, codes: [] });

  const order = await office.getShopOrder({ external_id: 'order 1/a' });
  const { writes, member: buyer, purchase, ...rest } = order;
  assert.deepEqual(
    writes
      .toReversed()
      .map(({ kind, status, paid, amount, points, client_benefit_code: its }) => [
        kind,
        kind === 'state' ? `${status} ${paid}` : (its ?? `${amount} ${points}`),
      ]),
    [
      ['held', code],
      ['state', 'open 40'],
      ['purchase', '40 40'],
      ['used', code],
      ['state', 'paid 40'],
      ['correction', '10 10'],
      ['state', 'paid 50'],
      ['reversal', '-20 -20'],
      ['state', 'paid 50'],
      ['reversal', '-30 -30'],
      ['undone', code],
      ['state', 'cancelled 50'],
    ],
  );
  assert.deepEqual(
    writes.filter(({ movement_id: id }) => id !== null).map(({ kind }) => kind),
    ['undone', 'reversal', 'reversal', 'correction', 'used', 'purchase'],
  );
  assert.equal(purchase.id, writes.find(({ kind }) => kind === 'purchase')!.movement_id);
  const found = await office.find('eva@example.com');
  assert.equal(buyer?.member_id, (found.members ?? [])[0]?.member_id);
  assert.equal(buyer?.email, 'eva@example.com');
  assert.deepEqual(rest, {
    external_id: 'order 1/a',
    status: 'cancelled',
    version: 5,
    paid: 50,
    refunded: 20,
    points: 0,
    placed_at: rest.placed_at,
    paid_at: rest.paid_at,
    codes: [{ client_benefit_code: code, state: 'restored', reason: null, title: rest.codes[0]!.title }],
    lines: rest.lines,
    has_older_writes: false,
  });
  assert.match(rest.codes[0]!.title!, /coffee/i);
  await assert.rejects(
    office.getShopOrder({ external_id: 'order 2' }),
    (error) => error instanceof ApiError && error.status === 404,
  );
});

test('orders are listed by member, state and day of the shop, page by page, newest first', async () => {
  const shop = await makeShop(PROGRAM);
  const [eva, ann] = [await shop.member('eva'), await shop.member('ann')];
  const put = await makeWebShop(shop);
  await put('early', eva, { status: 'paid', paid: 10 });
  await shop.moveClock('1 day');
  for (let i = 10; i < 34; i++) await put(`order-${i}`, i % 2 === 0 ? eva : ann, { status: 'paid', paid: i });
  await put('open', 'nobody@example.com', { status: 'open', paid: 5 });

  const office = await makeOffice(shop);
  const idsOf = async (filter: object) => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await office.listShopOrders({ ...filter, ...(cursor !== null && { cursor }) });
      assert.ok(page.results.length <= 20);
      ids.push(...page.results.map(({ external_id: id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return ids;
  };
  const all = await idsOf({});
  assert.equal(all.length, 26);
  assert.deepEqual([all[0], all.at(-1)], ['open', 'early']);
  const [first] = (await office.listShopOrders()).results;
  assert.deepEqual([first!.member, first!.purchase.state, first!.paid_at], [null, 'none', null]);
  const { member } = await office.getShopOrder({ external_id: 'early' });
  const ofEva = await idsOf({ member_id: member!.member_id });
  assert.deepEqual([ofEva.length, ofEva.at(-1)], [13, 'early']);
  assert.deepEqual(await idsOf({ status: 'open' }), ['open']);
  assert.deepEqual(await idsOf({ from: '2027-03-15', to: '2027-03-15' }), ['early']);
  assert.equal((await idsOf({ from: '2027-03-16' })).length, 25);
  assert.deepEqual(await idsOf({ member_id: 7 }), []);
  const { next_cursor: cursor } = await office.listShopOrders();
  await assert.rejects(
    office.listShopOrders({ status: 'paid', cursor: cursor! }),
    (error) => error instanceof ApiError && error.status === 422,
  );
});

test('another shop’s order is unknown, and an erased buyer has no name', async () => {
  const [shop, other] = [await makeShop(PROGRAM), await makeShop(PROGRAM)];
  const member = await shop.member('erasable');
  const put = await makeWebShop(shop);
  await put('mine', member, { status: 'paid', paid: 10, lines: [{ id: '1', amount: 10 }] });
  const stranger = await makeOffice(other);
  assert.deepEqual((await stranger.listShopOrders()).results, []);
  await assert.rejects(
    stranger.getShopOrder({ external_id: 'mine' }),
    (error) => error instanceof ApiError && error.status === 404,
  );
  await shop.erase(member);
  const { member: buyer, lines } = await (await makeOffice(shop)).getShopOrder({ external_id: 'mine' });
  assert.deepEqual([buyer!.username, buyer!.email, lines], [null, null, null]);
});
