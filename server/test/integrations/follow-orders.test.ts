/** Orders of a shop that follow at the real service, with an outbox in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { importPurchases } from '#purchases/import-purchases.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import * as fc from '#test/random.ts';
import { signIn, someone } from '#test/sign-in.ts';
import { ApiError, createShopClient, type Fetch } from '../../../sdk/src/index.ts';
import type { ShopOrder } from '../../../integrations/core/src/index.ts';
import { checkOutbox, core } from './core.ts';

const { followOrders, memoryOutbox } = core;

checkOutbox(memoryOutbox);

/** A shop with orders of its own, and a clock that tests move. The network to the service can be cut. */
async function makeOnlineShop(fields: Record<string, unknown> = {}, commerce?: Shop) {
  const made = commerce ?? (await makeShop(fields));
  const { url } = await service();
  const orders = new Map<string, ShopOrder>();
  const network = { isCut: false, calls: 0 };
  const fetchOverNetwork: Fetch = (address, init) => {
    network.calls += 1;
    return network.isCut ? Promise.reject(new TypeError('fetch failed')) : fetch(address, init);
  };
  const clock = { aheadMs: 0 };
  const changed: { id: string; at: Date }[] = [];
  const now = () => new Date(Date.now() + clock.aheadMs);
  const outbox = memoryOutbox();
  const follower = followOrders({
    outbox,
    readOrder: async (id) => orders.get(id) ?? null,
    async *changedSince(since) {
      for (const { id, at } of changed) if (at >= since) yield id;
    },
    client: createShopClient({ baseUrl: url, apiKey: made.key, fetch: fetchOverNetwork }),
    now,
  });
  const change = (id: string, fields: Partial<ShopOrder>) => {
    const before = orders.get(id) ?? {
      externalId: id,
      email: 'eva@example.com',
      state: 'placed' as const,
      currency: 'EUR',
      paid: 0,
      refunded: 0,
      codes: [],
      lines: [],
    };
    orders.set(id, { ...before, ...fields });
    changed.push({ id, at: now() });
  };
  const pointsOf = async (id: string) =>
    ((await made.get(`/v1/orders/${id}`)).body as { points: number }).points;
  return { made, orders, network, clock, outbox, follower, change, pointsOf };
}

test('an order that is placed, paid, edited and returned earns what is kept of it', async () => {
  const { follower, change, pointsOf } = await makeOnlineShop();
  const steps: [Partial<ShopOrder>, number][] = [
    [{ state: 'placed' }, 0],
    [{ state: 'paid', paid: 80.5, paidAt: new Date(Date.now() - 1_000) }, 80],
    [{ paid: 95.2 }, 95],
    [{ refunded: 15.2 }, 80],
    [{ state: 'cancelled' }, 0],
  ];
  for (const [fields, points] of steps) {
    change('order-1', fields);
    await follower.note('order-1');
    assert.deepEqual(
      await follower.send(),
      { sent: 1, delayed: 0, refused: 0 },
      JSON.stringify(await follower.health()),
    );
    assert.equal(await pointsOf('order-1'), points);
  }
});

const money = (cents: number) => cents / 100;

test('an order that grows after a refund earns what is kept of it, whatever the cents are', async () => {
  const { follower, change, pointsOf } = await makeOnlineShop();
  let orders = 0;
  const more = fc.integer({ min: 0, max: 999 });
  const step = fc.record({ paid: more, refunded: more, isCancelled: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      const id = `order-${(orders += 1)}`;
      const paidAt = new Date(Date.now() - 1_000);
      let [paid, refunded] = [0, 0];
      for (const [index, { paid: grown, refunded: back, isCancelled }] of steps.entries()) {
        paid += grown;
        refunded = Math.min(paid, refunded + back);
        const isOver = isCancelled && index === steps.length - 1;
        change(id, {
          state: isOver ? 'cancelled' : 'paid',
          paid: money(paid),
          refunded: money(refunded),
          paidAt,
          lines: [
            { id: 'a', units: 3, total: money(paid / 3), returnedUnits: 1 },
            { id: 'b', units: 1, total: money((2 * paid) / 3) },
          ],
        });
        await follower.note(id);
        const sending = await follower.send();
        assert.deepEqual(
          sending,
          { sent: 1, delayed: 0, refused: 0 },
          JSON.stringify(await follower.health()),
        );
        assert.equal(await pointsOf(id), isOver ? 0 : Math.floor((paid - refunded) / 100));
      }
    }),
    {
      numRuns: 25,
      // Of 26.40, 5.50 go back, which are 6 of 26 whole units. Of 29.60 they would be 5 of 29.
      examples: [
        [
          [
            { paid: 2640, refunded: 550, isCancelled: false },
            { paid: 320, refunded: 0, isCancelled: false },
            { paid: 0, refunded: 0, isCancelled: true },
          ],
        ],
      ],
    },
  );
});

test('signals that come twice, late and in any order leave the newest state', async () => {
  const { follower, change, pointsOf } = await makeOnlineShop();
  change('order-1', { state: 'paid', paid: 50 });
  await Promise.all([1, 2, 3].map(() => follower.note('order-1')));
  const sendings = await Promise.all([follower.send(), follower.send(), follower.send()]);
  assert.equal(
    sendings.reduce((all, { sent }) => all + sent, 0),
    1,
  );
  change('order-1', { paid: 70 });
  await follower.note('order-1');
  await follower.note('order-1');
  await follower.send();
  assert.equal(await pointsOf('order-1'), 70);
});

test('while the service does not answer, orders wait, and are sent once when it does', async () => {
  const { follower, change, pointsOf, network, clock } = await makeOnlineShop();
  network.isCut = true;
  for (let i = 0; i < 12; i += 1) {
    change(`order-${i}`, { state: 'paid', paid: 10 + i });
    await follower.note(`order-${i}`);
  }
  assert.deepEqual(await follower.send(), { sent: 0, delayed: 5, refused: 0 });
  assert.equal(network.calls, 5, 'a service that is away is not asked by every order');
  const { waiting, failed, failedOrders } = await follower.health();
  assert.deepEqual([waiting, failed, failedOrders.length], [12, 0, 5]);
  assert.match(failedOrders[0]!.error, /did not answer/);
  network.isCut = false;
  // Not beyond the five minutes that a version may be away from the time of the service.
  clock.aheadMs = 60_000;
  await follower.send();
  assert.deepEqual((await follower.health()).waiting, 0);
  for (let i = 0; i < 12; i += 1) assert.equal(await pointsOf(`order-${i}`), 10 + i);
});

test('what the service refuses for good is kept with its words, until a person sends it again', async () => {
  const { follower, change, pointsOf, orders, clock, network } = await makeOnlineShop();
  change('order-1', { state: 'paid', paid: 50, currency: 'USD' });
  await follower.note('order-1');
  assert.deepEqual(await follower.send(), { sent: 0, delayed: 0, refused: 1 });
  const { failed, failedOrders } = await follower.health();
  assert.equal(failed, 1);
  assert.match(failedOrders[0]!.error, /^currency: .*EUR/);
  const { calls } = network;
  clock.aheadMs = 200_000;
  await follower.send();
  assert.equal(network.calls, calls, 'it is not tried by itself');
  orders.set('order-1', { ...orders.get('order-1')!, currency: 'EUR' });
  assert.equal(await follower.sendAgain(), 1);
  await follower.send();
  assert.equal((await follower.health()).failed, 0);
  assert.equal(await pointsOf('order-1'), 50);
});

test('a key that was revoked says nothing about an order, so it waits for the next key', async () => {
  const { url } = await service();
  const outbox = memoryOutbox();
  const follower = followOrders({
    outbox,
    readOrder: async () => ({
      externalId: 'order-1',
      email: 'eva@example.com',
      state: 'paid',
      currency: 'EUR',
      paid: 5,
      refunded: 0,
      codes: [],
      lines: [],
    }),
    async *changedSince() {},
    client: createShopClient({ baseUrl: url, apiKey: `lk_test_${'a'.repeat(43)}` }),
  });
  await follower.note('order-1');
  assert.deepEqual(await follower.send(), { sent: 0, delayed: 1, refused: 0 });
  assert.equal((await follower.health()).waiting, 1);
});

test('the order of a blocked member earns nothing, and waits for a person', async () => {
  const online = await makeOnlineShop();
  const member = await online.made.member();
  await online.made.block(member);
  online.change('order-1', { state: 'paid', paid: 5, email: member.email });
  await online.follower.note('order-1');
  assert.deepEqual(await online.follower.send(), { sent: 0, delayed: 0, refused: 1 });
  assert.match((await online.follower.health()).failedOrders[0]!.error, /not_eligible/);
});

test('an order from before the plugin is left out, unless an import has brought it', async () => {
  const { made, follower, change, pointsOf } = await makeOnlineShop();
  const { db } = await service();
  const paidAt = new Date(Date.now() - 100 * 24 * 3_600_000);
  const fields = { client_email: 'eva@example.com', amount: '50', date: paidAt.toISOString() };
  await importPurchases(
    db,
    made.id,
    (async function* () {
      yield { line: 2, fields: { ...fields, external_id: 'imported' } };
    })(),
  );
  const before = { state: 'paid', paid: 50, refunded: 20, paidAt, isFromBefore: true } as const;
  for (const id of ['imported', 'unknown']) {
    change(id, before);
    await follower.note(id);
  }
  assert.deepEqual(await follower.send(), { sent: 2, delayed: 0, refused: 0 });
  assert.equal(await pointsOf('imported'), 30);
  assert.equal((await made.get('/v1/orders/unknown')).status, 404);
});

test('an order that is first told days after it was paid counts from then on, and so does what becomes of it', async () => {
  const { made, follower, change, pointsOf } = await makeOnlineShop();
  // A key was revoked on Friday, and the shop got another one on Tuesday.
  const paidAt = new Date(Date.now() - 96 * 3_600_000);
  const steps: [Partial<ShopOrder>, number][] = [
    [{ state: 'paid', paid: 26.4, paidAt }, 26],
    [{ refunded: 5.5 }, 20],
    [{ paid: 29.6 }, 24],
  ];
  for (const [fields, points] of steps) {
    change('order-1', fields);
    await follower.note('order-1');
    assert.deepEqual(
      await follower.send(),
      { sent: 1, delayed: 0, refused: 0 },
      JSON.stringify(await follower.health()),
    );
    assert.equal(await pointsOf('order-1'), points);
  }
  const { body } = await made.get('/v1/consumptions?external_id=order-1');
  const [{ date }] = (body as { results: [{ date: string }] }).results;
  assert.ok(new Date(date) > paidAt, `it counts from ${date} on`);
});

test('an order is from before the plugin if it was too old to be told when that was installed', () => {
  const installedAt = new Date('2026-11-01T10:00:00Z');
  const isFromBefore = (paidAt: string | null) =>
    core.isFromBefore(paidAt === null ? null : new Date(paidAt), installedAt);
  assert.deepEqual(
    [null, '2026-11-01T11:00:00Z', '2026-10-29T10:00:00Z', '2026-10-29T09:59:59Z'].map(isFromBefore),
    [false, false, false, true],
  );
});

test('a sweep finds the orders whose signal was lost, and begins where the last one began', async () => {
  const { follower, change, pointsOf, clock } = await makeOnlineShop();
  assert.equal(await follower.sweep(), 0);
  clock.aheadMs = 60_000;
  change('order-1', { state: 'paid', paid: 33 });
  assert.equal(await follower.sweep(), 1);
  await follower.send();
  assert.equal(await pointsOf('order-1'), 33);
  clock.aheadMs = 20 * 60_000;
  assert.equal(await follower.sweep(), 1, 'transactions that commit late are found by the overlap');
  clock.aheadMs = 40 * 60_000;
  assert.equal(await follower.sweep(), 0, 'changes from before the overlap are not swept again');
});

test('a code is held for a cart, used by its order, and refused to other carts', async () => {
  const commerce = await makeShop({
    benefits: [benefit('ten-off', { shop_coupon: { type: 'percentage', value: 10 } }), benefit('plain')],
    codes: { hold_minutes: 30 },
  });
  const member = await commerce.member();
  await commerce.sell(member, 100);
  const code = await commerce.voucher(member, 'ten-off');
  const { url } = await service();
  const shop = createShopClient({ baseUrl: url, apiKey: commerce.key });

  assert.deepEqual(await core.holdCode(shop, 'cart-1', code), {
    code,
    title: 'ten-off',
    discount: { kind: 'percentage', value: 10, on: { what: 'order' } },
  });
  await assert.rejects(core.holdCode(shop, 'cart-2', code), { name: 'CodeRefused', word: 'held' });
  await shop.releaseHold({ external_id: 'cart-1', client_benefit_code: code });
  await core.holdCode(shop, 'cart-2', code);
  await assert.rejects(core.holdCode(shop, 'cart-1', 12345678901234), { word: 'unknown' });
  const plain = await commerce.voucher(member, 'plain');
  await assert.rejects(core.holdCode(shop, 'cart-1', plain), { word: 'not_for_online_shops' });

  const online = await makeOnlineShop({}, commerce);
  online.change('order-2', { state: 'paid', paid: 90, email: member.email, codes: [code], cartId: 'cart-2' });
  await online.follower.note('order-2');
  await online.follower.send();
  assert.equal((await commerce.get(`/v2/benefits/preview/${code}`)).status, 400);
  await assert.rejects(core.holdCode(shop, 'cart-3', code), { word: 'used' });
});

test('what a cart would earn is asked once in a while', async () => {
  const commerce = await makeShop();
  const { url } = await service();
  let calls = 0;
  const shop = createShopClient({
    baseUrl: url,
    apiKey: commerce.key,
    fetch: (...sent) => {
      calls += 1;
      return fetch(...sent);
    },
  });
  const preview = core.createPreviews({ client: shop });
  const cart = { total: 24.9, currency: 'EUR', lines: [{ id: 'a', units: 1, total: 24.9 }] };
  const answers = await Promise.all([1, 2, 3].map(() => preview({ ...cart, email: 'eva@example.com' })));
  assert.deepEqual(
    answers.map(({ points }) => points),
    [24, 24, 24],
  );
  assert.equal(calls, 1);
  assert.equal((await preview({ ...cart, email: null })).points, 24);
  assert.equal((await preview({ ...cart, total: 0, email: null })).points, 0);
});

test('a customer whom the shop vouches for sees the account and buys, and a stranger is nobody', async () => {
  const commerce = await makeShop({ benefits: [benefit('coffee', { cost: 30 })] });
  const { url, db } = await service();
  const { key } = await createKey(db, commerce.id, 'site', { scopes: ['sign_in'] });
  const email = someone('eva');
  await signIn(commerce.id, email);
  const customers = core.createCustomers({
    baseUrl: url,
    commerceId: commerce.id,
    client: createShopClient({ baseUrl: url, apiKey: key }),
  });
  assert.equal(await customers.signIn('stranger@example.com'), null);
  await commerce.post('/v1/consumptions/email', { client_email: email, amount: 100 });
  const before = (await customers.readAccount(email.toUpperCase()))!;
  assert.deepEqual([before.points, before.catalog.length, before.codes.length], [100, 1, 0]);
  const member = (await customers.signIn(email))!;
  await member.exchangeBenefit('coffee');
  const after = (await customers.readAccount(email))!;
  assert.deepEqual([after.points, after.codes.length], [70, 1]);
  await assert.rejects(member.leaveProgram(), ApiError);
});
