/** Random customers, orders and kills, and at the end everything as the shop's orders say. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { cancel, capture, makeCart, placeOrder, refund } from './checkout.ts';
import { expectedOrders } from './oracle.ts';
import { holder, until } from './stories.ts';
import type { World } from './world.ts';

export interface LivesReport {
  readonly orders: number;
  readonly abandoned: number;
  readonly cancelled: number;
  readonly codesUsed: number;
  readonly points: number;
  readonly kills: { service: number; shop: number };
  readonly failed: Readonly<Record<string, number>>;
}

interface Person {
  readonly email: string;
  readonly token: string;
}

const PEOPLE = 6;
const AT_ONCE = 3;
const SWEPT_WITHIN_MS = 10 * 60_000;

interface Tally {
  placed: number;
  abandoned: number;
  /** Calls that failed, by what they were. Most of them met a shop or a service that was dead. */
  failed: Record<string, number>;
}

/** @throws AssertionError if the service and the shop disagree */
export async function live(
  world: World,
  { orders, kills }: { orders: number; kills: number },
): Promise<LivesReport> {
  const people: Person[] = [];
  for (let i = 0; i < PEOPLE; i += 1) {
    const email = `life-${i}-${Date.now()}@example.com`;
    const { token } = await holder(world, email, 'free-shipping');
    people.push({ email, token });
  }
  const tally: Tally = { placed: 0, abandoned: 0, failed: {} };
  const killed = { service: 0, shop: 0 };
  const killing = killNowAndThen(world, { orders, kills }, killed, tally);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (tally.placed < orders) await oneOrder(world, people[Math.floor(Math.random() * PEOPLE)]!, tally);
    }),
  );
  await killing;
  const { abandoned, failed } = tally;
  return { ...(await compare(world, people)), abandoned, failed, kills: killed };
}

/** Kills the service and the shop in turn, spread over the orders. */
async function killNowAndThen(
  world: World,
  { orders, kills }: { orders: number; kills: number },
  killed: LivesReport['kills'],
  tally: Tally,
): Promise<void> {
  for (let i = 0; i < kills; i += 1) {
    while (tally.placed < ((i + 1) * orders) / (kills + 1)) await sleep(50);
    await sleep(Math.random() * 1_000);
    const name = i % 2 === 0 ? 'service' : 'shop';
    await world[name].kill();
    await sleep(Math.random() * 3_000);
    await world[name].start();
    killed[name] += 1;
  }
}

/** A call that fails while one of them is dead is not repeated: what became of it, the shop's orders say. */
async function oneOrder(world: World, person: Person, tally: Tally): Promise<void> {
  const attempt = async <Value>(what: string, work: () => Promise<Value>): Promise<Value | null> => {
    try {
      return await work();
    } catch {
      tally.failed[what] = (tally.failed[what] ?? 0) + 1;
      while ((await fetch(`${world.shop.base}/health`).catch(() => null)) === null) await sleep(100);
      return null;
    }
  };
  const product = world.seeded.products[Math.floor(Math.random() * world.seeded.products.length)]!;
  const wanted = {
    email: person.email,
    items: [{ variantId: product.variantId, quantity: 1 + Math.floor(Math.random() * 4) }],
  };
  const store = world.storeOf(person.token);
  const cart = await attempt('cart', () => makeCart(store, world.seeded, wanted));
  if (cart === null) return;
  if (Math.random() < 0.4) await attempt('code', () => useCode(world, person, cart));
  if (Math.random() < 0.15) {
    tally.abandoned += 1;
    return;
  }
  const placed = await attempt('order', () => placeOrder(store, cart));
  if (placed === null) return;
  tally.placed += 1;
  const fate = Math.random();
  if (fate < 0.15) await attempt('cancellation', () => cancel(world.admin, placed.orderId));
  if (fate < 0.25) return;
  if ((await attempt('capture', () => capture(world.admin, placed.orderId).then(() => true))) === null)
    return;
  for (let returns = 0; returns < 2 && Math.random() < 0.3; returns += 1)
    await attempt('refund', () =>
      refund(world.admin, placed.orderId, Math.round(Math.random() * 400) / 100 + 0.01),
    );
  if (Math.random() < 0.05) await attempt('cancellation', () => cancel(world.admin, placed.orderId));
}

async function useCode(world: World, person: Person, cart: string): Promise<void> {
  const store = world.storeOf(person.token);
  const { bought } = await store.post<{ bought: { client_benefit_code: number } }>(
    '/store/loyalty/benefits',
    {
      benefit_id: Math.random() < 0.5 ? 'free-shipping' : 'ten-percent',
    },
  );
  await store.post(`/store/carts/${cart}/loyalty-codes`, { code: String(bought.client_benefit_code) });
  if (Math.random() < 0.2)
    await store.delete(`/store/carts/${cart}/loyalty-codes`, { code: String(bought.client_benefit_code) });
}

async function compare(world: World, people: readonly Person[]) {
  // Kills lose events, and the next sweep finds what they were about.
  const ended = Date.now();
  await until(
    () => world.admin.get<{ waiting: number; failed: number; sweptUntil: string }>('/admin/loyalty/health'),
    ({ waiting, failed, sweptUntil }) => waiting === 0 && failed === 0 && Date.parse(sweptUntil) > ended,
    SWEPT_WITHIN_MS,
  );
  const emails = new Set(people.map(({ email }) => email));
  const expected = (await expectedOrders(world.admin)).filter(({ email }) => emails.has(email));
  const usedCodes = new Set<number>();
  for (const { orderId, status, points, usedCodes: used } of expected) {
    const known = await world.client.getOrder({ external_id: orderId });
    const codes = known.codes
      .filter(({ state }) => state === 'used')
      .map(({ client_benefit_code: code }) => code)
      .toSorted((one, other) => one - other);
    assert.deepEqual(
      { orderId, status: known.status, points: known.points, codes },
      { orderId, status, points, codes: used },
    );
    for (const code of used) usedCodes.add(code);
  }
  let total = 0;
  for (const { email, token } of people) {
    const { code, points } = await world.client.getClientByEmail(email);
    const codes = await world.client.listClientBenefits(code);
    const spent = codes.reduce((all, { benefit }) => all + benefit.cost, 0);
    const earned = expected.reduce((all, order) => all + (order.email === email ? order.points : 0), 0);
    assert.equal(points, earned - spent, `points of ${email}`);
    for (const { client_benefit_code: one, used } of codes)
      assert.equal(used, usedCodes.has(one), `code ${one} of ${email}`);
    await assertNothingIsHeldByOrders(world, token);
    total += points ?? 0;
  }
  return {
    orders: expected.length,
    cancelled: expected.filter(({ status }) => status === 'cancelled').length,
    codesUsed: usedCodes.size,
    points: total,
  };
}

/** What is held still is held by abandoned carts, and no code that an order used is among it. */
async function assertNothingIsHeldByOrders(world: World, token: string): Promise<void> {
  const { account } = await world
    .storeOf(token)
    .get<{ account: { codes: { client_benefit_code: number; used: boolean }[] } }>('/store/loyalty/account');
  for (const { used } of account.codes) assert.equal(used, false);
}
