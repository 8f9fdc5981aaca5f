/** Single stories of orders, each from the first click to the points. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addItem,
  cancel,
  capture,
  makeCart,
  order,
  payRest,
  placeOrder,
  refund,
  register,
} from './checkout.ts';
import { ShopRefused } from './shop-api.ts';
import type { World } from './world.ts';

interface Account {
  state: string;
  account: {
    points: number;
    stamps: { id: string; have: number }[];
    codes: { client_benefit_code: number }[];
    catalog: { id: string; cost: number }[];
  } | null;
}

type Story = (world: World, email: string) => Promise<void>;

/** A code of a customer, and how to act as them. */
interface Holder {
  readonly token: string;
  readonly code: string;
}

/** Waits until something is so. What is awaited takes seconds; the limit is for a busy machine. */
export async function until<Value>(
  read: () => Promise<Value>,
  isSo: (value: Value) => boolean,
  withinMs = 90_000,
): Promise<Value> {
  const end = performance.now() + withinMs;
  for (;;) {
    const value = await read();
    if (isSo(value)) return value;
    if (performance.now() > end) throw new Error(`it has not become so: ${JSON.stringify(value)}`);
    await sleep(200);
  }
}

const pointsOf = ({ client }: World, orderId: string) =>
  client.getOrder({ external_id: orderId }).then(
    ({ points }) => points,
    () => null,
  );

/** Signs a customer up at the shop, and proves the address with the mailed code. */
export async function join(world: World, email: string): Promise<string> {
  const token = await register(world, email);
  const store = world.storeOf(token);
  assert.equal((await store.get<Account>('/store/loyalty/account')).state, 'unproved');
  await store.post('/store/loyalty/proof');
  await store.post('/store/loyalty/proof', { code: await world.mailedCode(email) });
  return token;
}

/** A customer who has earned points and bought a benefit with them. */
export async function holder(world: World, email: string, benefitId: string): Promise<Holder> {
  const token = await join(world, email);
  const { orderId } = await order(world, { email, items: [tea(world, 4)] });
  await capture(world.admin, orderId);
  await until(
    () => pointsOf(world, orderId),
    (points) => points !== null && points > 0,
  );
  const { bought } = await world
    .storeOf(token)
    .post<{ bought: { client_benefit_code: number } }>('/store/loyalty/benefits', { benefit_id: benefitId });
  return { token, code: String(bought.client_benefit_code) };
}

function tea({ seeded }: World, quantity: number) {
  return { variantId: seeded.products[0]!.variantId, quantity };
}

async function totalOf({ store }: World, cartId: string): Promise<number> {
  const { cart } = await store.get<{ cart: { total: number } }>(`/store/carts/${cartId}?fields=total`);
  return cart.total;
}

export const STORIES: Readonly<Record<string, Story>> = {
  async 'a guest’s order earns points when it is paid, which wait under the address'(world, email) {
    const placed = await order(world, { email, items: [tea(world, 2)] });
    await until(
      () => pointsOf(world, placed.orderId),
      (points) => points === 0,
    );
    await capture(world.admin, placed.orderId);
    await until(
      () => pointsOf(world, placed.orderId),
      (points) => points === Math.floor(placed.total),
    );
    const token = await join(world, email);
    const { account } = await world.storeOf(token).get<Account>('/store/loyalty/account');
    assert.equal(account!.points, Math.floor(placed.total));
    assert.deepEqual(
      account!.stamps.map(({ id, have }) => [id, have]),
      [['tea', 2]],
    );
  },

  async 'a refund takes back what it earned, and a cancellation all of it'(world, email) {
    const one = await order(world, { email, items: [tea(world, 3)] });
    await capture(world.admin, one.orderId);
    await until(
      () => pointsOf(world, one.orderId),
      (points) => points === Math.floor(one.total),
    );
    await refund(world.admin, one.orderId, 10.5);
    await until(
      () => pointsOf(world, one.orderId),
      (points) => points === Math.floor(one.total - 10.5),
    );
    const other = await order(world, { email, items: [tea(world, 1)] });
    await cancel(world.admin, other.orderId);
    const { status } = await until(
      () => world.client.getOrder({ external_id: other.orderId }),
      (known) => known.status === 'cancelled',
    );
    assert.equal(status, 'cancelled');
  },

  async 'an order that is edited earns what is paid in the end'(world, email) {
    const placed = await order(world, { email, items: [tea(world, 1)] });
    await capture(world.admin, placed.orderId);
    await until(
      () => pointsOf(world, placed.orderId),
      (points) => points === 17,
    );
    await addItem(world.admin, placed.orderId, tea(world, 2));
    await payRest(world.admin, placed.orderId);
    await until(
      () => pointsOf(world, placed.orderId),
      (points) => points === 42,
    );
  },

  async 'a code takes its discount off, is held for the cart, and is used when the order is placed'(
    world,
    email,
  ) {
    const { code } = await holder(world, email, 'ten-percent');
    const cart = await makeCart(world.store, world.seeded, { email, items: [tea(world, 2)] });
    const before = await totalOf(world, cart);
    await world.store.post(`/store/carts/${cart}/loyalty-codes`, { code });
    const after = await totalOf(world, cart);
    assert.ok(after < before, `${before} becomes ${after}`);
    const another = await makeCart(world.store, world.seeded, { email, items: [tea(world, 1)] });
    await assert.rejects(
      world.store.post(`/store/carts/${another}/loyalty-codes`, { code }),
      refusedAs('held'),
    );
    const placed = await placeOrder(world.store, cart);
    await until(
      () => world.client.getOrder({ external_id: placed.orderId }).catch(() => null),
      (known) => known?.codes[0]?.state === 'used',
    );
    await capture(world.admin, placed.orderId);
    await until(
      () => pointsOf(world, placed.orderId),
      (points) => points === Math.floor(after),
    );
    await assert.rejects(
      world.store.post(`/store/carts/${another}/loyalty-codes`, { code }),
      refusedAs('used'),
    );
  },

  async 'a code is refused in a cart of another currency'(world, email) {
    const { code } = await holder(world, email, 'five-euros');
    const { cart } = await world.store.post<{ cart: { id: string } }>('/store/carts', {
      region_id: world.seeded.otherRegionId,
      email,
    });
    await assert.rejects(
      world.store.post(`/store/carts/${cart.id}/loyalty-codes`, { code }),
      refusedAs('currency'),
    );
  },

  async 'a double click adds a code once'(world, email) {
    const { code } = await holder(world, email, 'five-euros');
    const cart = await makeCart(world.store, world.seeded, { email, items: [tea(world, 2)] });
    const clicks = await Promise.allSettled(
      [1, 2, 3].map(() => world.store.post(`/store/carts/${cart}/loyalty-codes`, { code })),
    );
    assert.ok(clicks.some(({ status }) => status === 'fulfilled'));
    assert.equal(await totalOf(world, cart), 24.9);
    const { codes } = await world.store.get<{ codes: object[] }>(`/store/carts/${cart}/loyalty-codes`);
    assert.equal(codes.length, 1);
  },

  async 'a code that is taken out of a cart is free for another one'(world, email) {
    const { code } = await holder(world, email, 'free-shipping');
    const one = await makeCart(world.store, world.seeded, { email, items: [tea(world, 1)] });
    await world.store.post(`/store/carts/${one}/loyalty-codes`, { code });
    const free = await totalOf(world, one);
    assert.equal(free, 12.5);
    await world.store.delete(`/store/carts/${one}/loyalty-codes`, { code });
    assert.equal(await totalOf(world, one), 17.4);
    const other = await makeCart(world.store, world.seeded, { email, items: [tea(world, 1)] });
    await world.store.post(`/store/carts/${other}/loyalty-codes`, { code });
    // The promotion of the code works in no other cart, also if somebody adds it there by its name.
    await world.store.post(`/store/carts/${one}/promotions`, { promo_codes: [code] }).catch(() => {});
    assert.equal(await totalOf(world, one), 17.4);
  },

  async 'a code for a category leaves other products alone'(world, email) {
    const { code } = await holder(world, email, 'half-mugs');
    const mug = { variantId: world.seeded.products[1]!.variantId, quantity: 1 };
    const cart = await makeCart(world.store, world.seeded, { email, items: [tea(world, 1), mug] });
    const before = await totalOf(world, cart);
    await world.store.post(`/store/carts/${cart}/loyalty-codes`, { code });
    assert.equal(Math.round((before - (await totalOf(world, cart))) * 100), 900);
  },

  async 'a cancelled order gives its code back'(world, email) {
    const { code } = await holder(world, email, 'five-euros');
    const placed = await order(world, { email, items: [tea(world, 2)], codes: [code] });
    await until(
      () => world.client.getOrder({ external_id: placed.orderId }).catch(() => null),
      (known) => known?.codes[0]?.state === 'used',
    );
    await cancel(world.admin, placed.orderId);
    await until(
      () => world.client.getOrder({ external_id: placed.orderId }),
      (known) => known.codes[0]?.state === 'restored',
    );
  },

  async 'a code that the till uses meanwhile leaves the cart'(world, email) {
    const { code } = await holder(world, email, 'five-euros');
    const cart = await makeCart(world.store, world.seeded, { email, items: [tea(world, 2)] });
    await world.store.post(`/store/carts/${cart}/loyalty-codes`, { code });
    await world.client.redeemBenefit(Number(code));
    const { codes, lost } = await world.store.get<{ codes: object[]; lost: { code: string }[] }>(
      `/store/carts/${cart}/loyalty-codes`,
    );
    assert.deepEqual([codes, lost.map((one) => one.code)], [[], [code]]);
    assert.equal(await totalOf(world, cart), 29.9);
  },

  async 'pages say what a product and a cart would earn'(world, email) {
    const product = { product_id: world.seeded.products[0]!.id, amount: 12.5, currency_code: 'eur' };
    const one = await world.store.post<{ points: number }>('/store/loyalty/preview', product);
    assert.equal(one.points, 12);
    const cart = await makeCart(world.store, world.seeded, { email, items: [tea(world, 2)] });
    const all = await world.store.post<{ points: number }>('/store/loyalty/preview', { cart_id: cart });
    assert.equal(all.points, 29);
  },

  async 'somebody who registers with another’s address sees nothing of theirs'(world, email) {
    const { orderId } = await order(world, { email, items: [tea(world, 2)] });
    await capture(world.admin, orderId);
    await until(
      () => pointsOf(world, orderId),
      (points) => points !== null && points > 0,
    );
    const token = await register(world, email);
    const { state, account } = await world.storeOf(token).get<Account>('/store/loyalty/account');
    assert.deepEqual([state, account], ['unproved', null]);
    // The stamps of whoever has the address, and the factor of their tier, would tell who is a member.
    const items = [tea(world, 2)];
    const previewOf = async (store: World['store'], address: string) => {
      const cart = await makeCart(world.store, world.seeded, { email: address, items });
      return store.post<object>('/store/loyalty/preview', { cart_id: cart });
    };
    const anybodys = await previewOf(world.store, `nobody-${email}`);
    for (const store of [world.store, world.storeOf(token)])
      assert.deepEqual(await previewOf(store, email), anybodys);
    await assert.rejects(
      world.storeOf(token).post('/store/loyalty/benefits', { benefit_id: 'ten-percent' }),
      ShopRefused,
    );
  },

  async 'events of the service reach the shop, and forged ones do not'(world, email) {
    await order(world, { email, items: [tea(world, 1)] });
    await until(
      () => world.takenEvents(),
      (taken) => taken > 0,
    );
    const forged = await fetch(`${world.shop.base}/hooks/loyalty`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
      },
      body: JSON.stringify({ type: 'voucher.used', timestamp: new Date().toISOString(), data: {} }),
    });
    assert.equal(forged.status, 401);
  },

  async 'orders that were placed while the service was away follow when it is back'(world, email) {
    await world.service.kill();
    const placed = await order(world, { email, items: [tea(world, 2)] });
    await capture(world.admin, placed.orderId);
    const health = await until(
      () => world.admin.get<{ waiting: number; serviceError: string | null }>('/admin/loyalty/health'),
      ({ waiting }) => waiting > 0,
    );
    assert.match(health.serviceError ?? '', /did not answer/);
    await world.service.start();
    await until(
      () => pointsOf(world, placed.orderId),
      (points) => points === Math.floor(placed.total),
    );
    await until(
      () => world.admin.get<{ waiting: number }>('/admin/loyalty/health'),
      ({ waiting }) => waiting === 0,
    );
  },
};

function refusedAs(type: string) {
  return (error: unknown) =>
    error instanceof ShopRefused && (error.body as { type?: string } | null)?.type === type;
}
