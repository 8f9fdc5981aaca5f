/**
 * Random orders, while the service and the shop are killed now and then. At the end the service must have what the shop's own books say:
 * `npm run test:vendure -- --only random --seed 7 --orders 200 --kills 10`.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import {
  addToCart,
  backToCart,
  cancelOrder,
  capture,
  cartOf,
  catalog,
  checkOut,
  pay,
  readHealth,
  readOrderById,
  readOrders,
  refund,
  removeCode,
  signIn,
  ShopError,
  typeCode,
  visit,
  type BookedOrder,
  type Visitor,
} from './shop-api.ts';
import { setStage, STORIES, type Stage } from './stage.ts';

const SEED = Number(process.env['STORY_SEED'] ?? 1);
const ORDERS = Number(process.env['STORY_ORDERS'] ?? 40);
const KILLS = Number(process.env['STORY_KILLS'] ?? 4);
const CUSTOMERS = 6;
const GIVEN_POINTS = 2_000;
const COST = 10;
const AT_ONCE = 3;
const SETTLED_WITHIN_MS = 300_000;

test(`${ORDERS} random orders and ${KILLS} kills, seed ${SEED}: nothing is lost, nothing counts twice`, async () => {
  const stage = await setStage({ program: STORIES, slug: 'stories' });
  try {
    const told = await tellStories(stage);
    console.log(new Date(), told);
    await compare(stage);
  } finally {
    await stage.end();
  }
});

interface Told {
  begun: number;
  interrupted: number;
  why: Record<string, number>;
  kills: number;
}

async function tellStories(stage: Stage): Promise<Told> {
  const emails = await inviteCustomers(stage);
  const skus = [...(await catalog(visit(stage.shop.base, 'shop-api')))].flatMap(([sku, id]) =>
    sku.startsWith('MUG') ? [id] : [],
  );
  const told: Told = { begun: 0, interrupted: 0, why: {}, kills: 0 };
  let left = ORDERS;
  const killing = killNowAndThen(stage, told, () => told.begun / ORDERS);
  const tellers = Array.from({ length: AT_ONCE }, async (_, teller) => {
    const random = randomOf(SEED * 1_000 + teller);
    while (left-- > 0) {
      told.begun += 1;
      await shopIsUp(stage);
      // Each teller has customers of its own: a customer does one thing after the other.
      const email = emails[teller + AT_ONCE * Math.floor((random() * CUSTOMERS) / AT_ONCE)]!;
      try {
        await story(stage, { random, email, skus, number: told.begun });
      } catch (error) {
        // Whatever a kill interrupted stays as it is, as with customers who go away.
        if (!(error instanceof ShopError)) throw error;
        told.interrupted += 1;
        told.why[error.message] = (told.why[error.message] ?? 0) + 1;
      }
    }
  });
  await Promise.all([...tellers, killing]);
  return told;
}

interface Scene {
  random: () => number;
  email: string;
  skus: readonly string[];
  number: number;
}

/** One customer with one cart, and what becomes of the order. */
async function story(stage: Stage, { random, email, skus, number }: Scene): Promise<void> {
  const { base } = stage.shop;
  const chance = (part: number) => random() < part;
  const member = visit(base, 'shop-api');
  await signIn(member, email, 'secret');
  // A cart that is left behind is a guest's: that of a customer waits for them.
  const isGuest = chance(0.4);
  const who = isGuest ? visit(base, 'shop-api') : member;
  // A kill may have left the customer before the payment.
  if (!isGuest && (await cartOf(member))?.state === 'ArrangingPayment') await backToCart(member);
  for (let lines = 0; lines < 1 + Math.floor(random() * 2); lines++)
    await addToCart(who, skus[Math.floor(random() * skus.length)]!, 1 + Math.floor(random() * 3));
  if (chance(0.5)) {
    const code = await buyCode(
      member,
      ['five-euros', 'ten-percent', 'free-shipping'][Math.floor(random() * 3)]!,
    );
    const answer = await typeCode(who, code);
    if (!('errorCode' in answer) && chance(0.15)) await removeCode(who, code);
  }
  if (isGuest && chance(0.3)) return;
  const order = await checkOut(who, isGuest ? { email: `guest${number}@example.com` } : undefined);
  await pay(who, chance(0.7) ? 'card' : 'later');

  const staff = await stage.staff();
  const { id } = order;
  const { payments } = await readOrderById(staff, id);
  if (payments[0]?.state === 'Authorized' && chance(0.7)) await capture(staff, payments[0].id);
  for (const part of [0.3, 0.1]) {
    const payment = (await readOrderById(staff, id)).payments.find(({ state }) => state === 'Settled');
    if (payment === undefined || !chance(part)) continue;
    const back = payment.refunds.reduce((sum, { total }) => sum + total, 0);
    const amount = Math.floor(random() * (payment.amount - back));
    if (amount > 0) await refund(staff, payment.id, amount);
  }
  if (chance(0.15)) await cancelOrder(staff, id);
}

async function killNowAndThen(stage: Stage, told: Told, progress: () => number): Promise<void> {
  const random = randomOf(SEED);
  for (let kill = 0; kill < KILLS; kill++) {
    while (progress() < (kill + 0.5) / KILLS) await sleep(50);
    await sleep(random() * 500);
    const victim = kill % 2 === 0 ? stage.shop : stage.service;
    await victim.kill();
    told.kills += 1;
    await sleep(random() * 3_000);
    await victim.start();
  }
}

/** Compares the service with the books of the shop, which know nothing of it. */
async function compare(stage: Stage): Promise<void> {
  const staff = await stage.staff();
  await untilSettled(staff);
  const placed = (await readOrders(staff)).filter(({ orderPlacedAt }) => orderPlacedAt !== null);
  const points = new Map<string, number>();
  const used = new Set<string>();
  for (const order of placed) {
    const expected = pointsByBooks(order);
    const at = await stage.client.getOrder({ external_id: order.code });
    assert.deepEqual(
      { code: order.code, points: at.points, cancelled: at.status === 'cancelled' },
      { code: order.code, points: expected, cancelled: order.state === 'Cancelled' },
    );
    const email = order.customer!.emailAddress;
    points.set(email, (points.get(email) ?? 0) + expected);
    for (const { code } of order.state === 'Cancelled' ? [] : order.loyaltyCodes) {
      assert.ok(!used.has(code), `the code ${code} is in two orders`);
      used.add(code);
    }
  }
  let known = 0;
  for (let cursor: string | null = null; ;) {
    const page = await stage.client.listOrders({ cursor });
    known += page.results.length;
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  assert.equal(known, placed.length, 'orders that the service knows');
  let codes = 0;
  for (let n = 0; n < CUSTOMERS; n++) {
    const email = emailOf(n);
    const client = await stage.client.getClientByEmail(email);
    const bought = await stage.client.listClientBenefits(client.code);
    codes += bought.length;
    for (const { client_benefit_code: code, used: isUsed } of bought)
      assert.equal(isUsed, used.has(String(code).padStart(14, '0')), `the code ${code}`);
    assert.equal(client.points, GIVEN_POINTS + (points.get(email) ?? 0) - bought.length * COST, email);
  }
  const cancelled = placed.filter(({ state }) => state === 'Cancelled').length;
  console.log({ placed: placed.length, cancelled, codesBought: codes, codesUsed: used.size });
}

/** Waits for a sweep, which finds what a kill has kept from being noted, and until nothing waits. */
async function untilSettled(staff: Visitor): Promise<void> {
  const from = Date.now();
  for (;;) {
    const { waiting, failed, failedOrders, sweptUntil } = await readHealth(staff);
    assert.equal(failed, 0, JSON.stringify(failedOrders));
    if (waiting === 0 && sweptUntil !== null && Date.parse(sweptUntil) > from) return;
    assert.ok(Date.now() < from + SETTLED_WITHIN_MS, `${waiting} orders still wait`);
    await sleep(200);
  }
}

/** One point for each whole euro that the shop has kept. */
function pointsByBooks({ state, payments }: BookedOrder): number {
  if (state === 'Cancelled') return 0;
  const settled = payments.filter((payment) => payment.state === 'Settled');
  const kept = settled.flatMap(({ amount, refunds }) => [
    amount,
    ...refunds.flatMap((one) => (one.state === 'Settled' ? [-one.total] : [])),
  ]);
  return Math.floor(kept.reduce((sum, one) => sum + one, 0) / 100);
}

/** Customers of the shop who have proved their address at the service, and have points to buy codes with. */
async function inviteCustomers(stage: Stage): Promise<string[]> {
  const staff = await stage.staff();
  const emails = Array.from({ length: CUSTOMERS }, (_, n) => emailOf(n));
  for (const email of emails) {
    await staff.ask(
      `mutation ($email: String!) {
        createCustomer(input: { firstName: "A", lastName: "Customer", emailAddress: $email }, password: "secret") { ... on Customer { id } }
      }`,
      { email },
    );
    const who = visit(stage.shop.base, 'shop-api');
    await signIn(who, email, 'secret');
    await who.ask('mutation { requestLoyaltyCode }');
    const code = await stage.mailedCode(email);
    await who.ask('mutation ($code: String!) { joinLoyalty(code: $code) { state } }', { code });
    await stage.client.recordConsumptionByEmail({ client_email: email, amount: GIVEN_POINTS });
  }
  return emails;
}

async function buyCode(who: Visitor, benefitId: string): Promise<string> {
  const { buyLoyaltyBenefit } = await who.ask<{ buyLoyaltyBenefit: { code: string } }>(
    'mutation ($benefitId: String!) { buyLoyaltyBenefit(benefitId: $benefitId) { code } }',
    { benefitId },
  );
  return buyLoyaltyBenefit.code;
}

function emailOf(n: number): string {
  return `customer${n}@example.com`;
}

async function shopIsUp(stage: Stage): Promise<void> {
  while ((await fetch(`${stage.shop.base}/health`).catch(() => null))?.ok !== true) await sleep(100);
}

/** Returns numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
