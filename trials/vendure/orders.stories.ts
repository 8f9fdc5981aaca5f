/** The order stories, one after the other, from the outside: a customer and the staff over the shop's APIs, and the service's own books. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { ApiError } from '../../sdk/src/index.ts';
import {
  addToCart,
  backToCart,
  cancelOrder,
  capture,
  catalog,
  checkOut,
  openChannel,
  pay,
  readHealth,
  readOrderById,
  refund,
  removeCode,
  signIn,
  typeCode,
  visit,
  type CartOrder,
  type Refused,
  type Visitor,
} from './shop-api.ts';
import { PROGRAM, setStage, WEBHOOK_SECRET, type Stage } from './stage.ts';

let stage: Stage;
let staff: Visitor;
let skus: Map<string, string>;

before(async () => {
  stage = await setStage({ program: PROGRAM, slug: 'shop-vendure' });
  staff = await stage.staff();
  skus = await catalog(visit(stage.shop.base, 'shop-api'));
});
after(() => stage?.end());

test('a guest pays, and the points wait under the address; a partial refund takes its part back', async () => {
  const guest = visit(stage.shop.base, 'shop-api');
  const order = await buy(guest, 'MUG-BLUE', 2, { email: 'guest@example.com' });
  assert.equal(order.state, 'PaymentSettled');
  assert.equal(order.totalWithTax, 2_899);
  assert.equal(await pointsOf(order.code, 28), 28);
  const { payments } = await readOrderById(staff, order.id);
  await refund(staff, payments[0]!.id, 1_200);
  assert.equal(await pointsOf(order.code, 16), 16);
});

test('a customer proves the address once, and sees points, tier, stamps and catalog from then on', async () => {
  const eva = await customer('eva');
  assert.equal((await accountOf(eva)).state, 'NOT_A_MEMBER');
  await join(eva, 'eva@example.com');
  const order = await buy(eva, 'TEA-GREEN', 2);
  // 12.80 of tea count twice, and 4.99 of shipping: 17 in whole units, of which 12 are tea.
  assert.equal(await pointsOf(order.code, 29), 29);
  const account = await accountOf(eva);
  assert.equal(account.state, 'MEMBER');
  assert.equal(account.points, 29);
  assert.equal(account.tier?.name, 'Clay');
  assert.deepEqual(
    account.stamps.map(({ have, need }) => [have, need]),
    [[2, 5]],
  );
  assert.ok(account.catalog.some(({ id }) => id === 'ten-percent'));
});

test('a visitor, a customer and a cart are told what they will earn', async () => {
  const visitor = visit(stage.shop.base, 'shop-api');
  const ask = `query ($id: ID!) { loyaltyPreview(productVariantId: $id, quantity: 3) { points } }`;
  const variables = { id: skus.get('MUG-BLUE') };
  const said = await visitor.ask<{ loyaltyPreview: { points: number } }>(ask, variables);
  assert.equal(said.loyaltyPreview.points, 36);
  const eva = await customer('eva');
  await addToCart(eva, skus.get('TEA-GREEN')!, 1);
  const { activeOrder } = await eva.ask<{ activeOrder: { loyaltyPreview: { points: number } } }>(
    '{ activeOrder { loyaltyPreview { points } } }',
  );
  assert.equal(activeOrder.loyaltyPreview.points, 12);
  await eva.ask('mutation { removeAllOrderLines { ... on ErrorResult { errorCode } } }');
});

test('a code works in the coupon box, is held for the cart, let go of when it is taken out, and used by the order', async () => {
  const eva = await customer('eva');
  const code = await buyBenefit(eva, 'ten-percent');
  const before = await addToCart(eva, skus.get('MUG-BLUE')!, 2);
  assert.equal(before.subTotalWithTax, 2_400);
  const cart = taken(await typeCode(eva, `${code.slice(0, 7)} ${code.slice(7)}`));
  assert.equal(cart.subTotalWithTax, 2_160);
  assert.deepEqual(cart.couponCodes, [code]);
  assert.equal(cart.loyaltyCodes[0]!.title, '10 % off your order');

  const thief = visit(stage.shop.base, 'shop-api');
  await addToCart(thief, skus.get('MUG-WHITE')!, 1);
  const refusal = await typeCode(thief, code);
  assert.equal('errorCode' in refusal && refusal.errorCode, 'COUPON_CODE_INVALID_ERROR');
  assert.match((refusal as Refused).message, /another cart/);

  const without = await removeCode(eva, code);
  assert.equal(without.subTotalWithTax, 2_400);
  assert.equal(taken(await typeCode(thief, code)).subTotalWithTax, 855);
  await removeCode(thief, code);

  assert.equal(taken(await typeCode(eva, code)).subTotalWithTax, 2_160);
  await checkOut(eva);
  const order = await pay(eva, 'card');
  assert.equal(order.totalWithTax, 2_659);
  assert.equal(await pointsOf(order.code, 26), 26);
  await until(async () => (await stateOfCode(code)) === 'used');
});

test('each kind of code takes off what it says', async () => {
  const eva = await customer('eva');
  await stage.client.recordConsumptionByEmail({ client_email: 'eva@example.com', amount: 400 });
  const cases: [string, number, number][] = [
    ['five-euros', 4_630 - 500, 499],
    ['free-shipping', 4_630, 0],
    ['half-a-mug', 4_630 - 600 * 2, 499],
    ['tea-time', 4_630 - 256, 499],
  ];
  await addToCart(eva, skus.get('MUG-BLUE')!, 2);
  await addToCart(eva, skus.get('MUG-WHITE')!, 1);
  await addToCart(eva, skus.get('TEA-GREEN')!, 2);
  await checkOut(eva);
  for (const [benefit, goods, shipping] of cases) {
    const cart = taken(await typeCode(eva, await buyBenefit(eva, benefit)));
    assert.deepEqual([cart.subTotalWithTax, cart.shippingWithTax], [goods, shipping], benefit);
    await removeCode(eva, cart.loyaltyCodes[0]!.code);
  }
  await backToCart(eva);
  await eva.ask('mutation { removeAllOrderLines { ... on ErrorResult { errorCode } } }');
});

test('an order that codes make free uses them, earns nothing, and is no purchase', async () => {
  const eva = await customer('eva');
  const gift = await buyBenefit(eva, 'free-white-mug');
  const shipping = await buyBenefit(eva, 'free-shipping');
  await addToCart(eva, skus.get('MUG-WHITE')!, 2);
  assert.equal(taken(await typeCode(eva, gift)).subTotalWithTax, 950, 'one of two is a gift');
  const { lines } = await addToCart(eva, skus.get('MUG-WHITE')!, 1);
  await eva.ask(
    'mutation ($id: ID!) { adjustOrderLine(orderLineId: $id, quantity: 1) { ... on Order { id } ... on ErrorResult { errorCode } } }',
    { id: lines[0]!.id },
  );
  taken(await typeCode(eva, shipping));
  await checkOut(eva);
  const order = await pay(eva, 'card');
  assert.equal(order.totalWithTax, 0);
  assert.equal(order.state, 'PaymentSettled');
  await until(async () => (await stateOfCode(gift)) === 'used');
  assert.equal(await stateOfCode(shipping), 'used');
  const { points, purchase } = await stage.client.getOrder({ external_id: order.code });
  assert.deepEqual([points, purchase.state], [0, 'none']);
});

test('a till that uses the code of a cart stops the cart before the payment', async () => {
  const eva = await customer('eva');
  const code = await buyBenefit(eva, 'five-euros');
  await addToCart(eva, skus.get('MUG-WHITE')!, 1);
  taken(await typeCode(eva, code));
  await stage.client.redeemBenefit(Number(code));
  await assert.rejects(checkOut(eva), /cannot be used any more/);
  assert.equal((await removeCode(eva, code)).loyaltyCodes.length, 0);
  await checkOut(eva);
  assert.equal((await pay(eva, 'card')).state, 'PaymentSettled');
});

test('an authorized order uses its code at once and earns when the money is taken', async () => {
  const eva = await customer('eva');
  const code = await buyBenefit(eva, 'five-euros');
  await addToCart(eva, skus.get('MUG-BLUE')!, 3);
  taken(await typeCode(eva, code));
  await checkOut(eva);
  const order = await pay(eva, 'later');
  assert.equal(order.state, 'PaymentAuthorized');
  assert.equal(await pointsOf(order.code, 0), 0);
  assert.equal(await stateOfCode(code), 'used');
  const { payments } = await readOrderById(staff, order.id);
  await capture(staff, payments[0]!.id);
  assert.equal(await pointsOf(order.code, 35), 35);
});

test('a cancelled order takes its points back and makes its code good again', async () => {
  const eva = await customer('eva');
  const code = await buyBenefit(eva, 'five-euros');
  await addToCart(eva, skus.get('MUG-BLUE')!, 1);
  taken(await typeCode(eva, code));
  await checkOut(eva);
  const order = await pay(eva, 'card');
  assert.equal(await pointsOf(order.code, 11), 11);
  await cancelOrder(staff, order.id);
  assert.equal(await pointsOf(order.code, 0), 0);
  assert.equal(await stateOfCode(code), 'usable');
});

test('an order that is edited afterwards earns the difference', async () => {
  const eva = await customer('eva');
  const order = await buy(eva, 'MUG-BLUE', 1);
  assert.equal(await pointsOf(order.code, 16), 16);
  const line = order.lines[0]!.id;
  await staff.ask(
    'mutation ($id: ID!) { transitionOrderToState(id: $id, state: "Modifying") { ... on Order { id } } }',
    {
      id: order.id,
    },
  );
  await staff.ask(
    `mutation ($id: ID!, $line: ID!) {
      modifyOrder(input: { dryRun: false, orderId: $id, adjustOrderLines: [{ orderLineId: $line, quantity: 3 }] }) {
        ... on Order { id } ... on ErrorResult { errorCode message }
      }
    }`,
    { id: order.id, line },
  );
  await staff.ask(
    'mutation ($id: ID!) { transitionOrderToState(id: $id, state: "ArrangingAdditionalPayment") { ... on Order { id } } }',
    { id: order.id },
  );
  await staff.ask(
    `mutation ($id: ID!) {
      addManualPaymentToOrder(input: { orderId: $id, method: "cash", metadata: {} }) { ... on Order { id } ... on ErrorResult { errorCode message } }
    }`,
    { id: order.id },
  );
  assert.equal(await pointsOf(order.code, 40), 40);
});

test('a customer who changes the address stays the buyer of earlier orders', async () => {
  const tomas = await customer('tomas');
  const order = await buy(tomas, 'MUG-BLUE', 2);
  assert.equal(await pointsOf(order.code, 28), 28);
  const { customers } = await staff.ask<{ customers: { items: { id: string }[] } }>(
    '{ customers(options: { filter: { emailAddress: { eq: "tomas@example.com" } } }) { items { id } } }',
  );
  await staff.ask(
    'mutation ($id: ID!) { updateCustomer(input: { id: $id, emailAddress: "tomas.new@example.com" }) { ... on Customer { id } } }',
    { id: customers.items[0]!.id },
  );
  const { payments } = await readOrderById(staff, order.id);
  await refund(staff, payments[0]!.id, 1_000);
  assert.equal(await pointsOf(order.code, 18), 18);
});

test('a sales channel with a commerce of its own gives points and takes codes there', async () => {
  const guest = visit(stage.shop.base, 'shop-api', await openChannel(staff, 'outlet'));
  const order = await buy(guest, 'MUG-BLUE', 1, { email: 'outlet@example.com' });
  // One point for two euros there.
  await until(
    async () => (await stage.outlet.getOrder({ external_id: order.code }).catch(() => null))?.points === 8,
  );
  await assert.rejects(stage.client.getOrder({ external_id: order.code }), { status: 404 });
});

test('a cart in another currency takes no code, and its order is listed as refused until it is sent again', async () => {
  const code = await buyBenefit(await customer('eva'), 'free-shipping');
  const guest = visit(stage.shop.base, 'shop-api', await openChannel(staff, 'dollars', 'USD'));
  await addToCart(guest, skus.get('MUG-BLUE')!, 1);
  assert.match(((await typeCode(guest, code)) as Refused).message, /another currency/);
  await checkOut(guest, { email: 'dollars@example.com' });
  const order = await pay(guest, 'card');
  await until(async () => (await readHealth(staff)).failed === 1);
  const { failedOrders } = await readHealth(staff);
  assert.deepEqual(
    failedOrders.map(({ orderId, error }) => [orderId, error.split(':')[0]]),
    [[order.id, 'currency']],
  );
  const { sendLoyaltyOrdersAgain: due } = await staff.ask<{ sendLoyaltyOrdersAgain: number }>(
    'mutation { sendLoyaltyOrdersAgain }',
  );
  assert.equal(due, 1);
});

test('while the service is away the shop sells, and the orders arrive afterwards', async () => {
  await stage.service.kill();
  const guest = visit(stage.shop.base, 'shop-api');
  let order: CartOrder;
  try {
    order = await buy(guest, 'MUG-WHITE', 2, { email: 'patient@example.com' });
    const { loyaltyPreview } = await guest.ask<{ loyaltyPreview: unknown }>(
      'query ($id: ID!) { loyaltyPreview(productVariantId: $id, quantity: 7) { points } }',
      { id: skus.get('MUG-BLUE') },
    );
    assert.equal(loyaltyPreview, null);
    const { waiting, serviceError } = await readHealth(staff);
    assert.ok(waiting >= 1);
    assert.match(serviceError ?? '', /did not answer/);
  } finally {
    await stage.service.start();
  }
  assert.equal(await pointsOf(order.code, 23), 23);
  await until(async () => (await readHealth(staff)).waiting === 0);
});

test('a webhook of the service is taken, and a forged one is not', async () => {
  const body = JSON.stringify({
    type: 'webhook.test',
    timestamp: new Date().toISOString(),
    data: { id: 'evt_1' },
  });
  const send = (secret: string) => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signed = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'));
    const signature = `v1,${signed.update(`evt_1.${timestamp}.${body}`).digest('base64')}`;
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'evt_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    };
    return fetch(`${stage.shop.base}/loyalty/webhook`, { method: 'POST', body, headers });
  };
  assert.equal((await send(WEBHOOK_SECRET)).status, 204);
  assert.equal((await send(`whsec_${Buffer.from('another').toString('base64')}`)).status, 401);
  assert.equal((await fetch(`${stage.shop.base}/loyalty/webhook`)).status, 405);
});

test('staff see how a customer stands, and that the service knows the keys', async () => {
  const { serviceError, consoleUrl } = await readHealth(staff);
  assert.deepEqual([serviceError, consoleUrl], [null, `${stage.service.base}/console`]);
  const { customers } = await staff.ask<{ customers: { items: { id: string }[] } }>(
    '{ customers(options: { filter: { emailAddress: { eq: "eva@example.com" } } }) { items { id } } }',
  );
  const { loyaltyCustomer: eva } = await staff.ask<{
    loyaltyCustomer: {
      points: number;
      waiting: number;
      tier: string | null;
      codes: unknown[];
      purchases: { externalId: string }[];
    };
  }>(
    'query ($id: ID!) { loyaltyCustomer(customerId: $id) { points waiting tier codes { code used } purchases { externalId points } consoleUrl } }',
    { id: customers.items[0]!.id },
  );
  assert.ok(eva.points > 0);
  assert.equal(eva.waiting, 0);
  assert.equal(typeof eva.tier, 'string');
  assert.ok(eva.codes.length > 0);
  assert.ok(eva.purchases.length > 0);
});

async function customer(name: string): Promise<Visitor> {
  const who = visit(stage.shop.base, 'shop-api');
  await signIn(who, `${name}@example.com`, 'mugs-and-tea');
  return who;
}

async function buy(
  who: Visitor,
  sku: string,
  quantity: number,
  guest?: { email: string },
): Promise<CartOrder> {
  await addToCart(who, skus.get(sku)!, quantity);
  await checkOut(who, guest);
  return pay(who, 'card');
}

async function buyBenefit(who: Visitor, benefitId: string): Promise<string> {
  const { buyLoyaltyBenefit } = await who.ask<{ buyLoyaltyBenefit: { code: string } }>(
    'mutation ($benefitId: String!) { buyLoyaltyBenefit(benefitId: $benefitId) { code } }',
    { benefitId },
  );
  return buyLoyaltyBenefit.code;
}

interface Account {
  state: string;
  points: number;
  tier: { name: string } | null;
  stamps: { have: number; need: number }[];
  catalog: { id: string }[];
}

async function accountOf(who: Visitor): Promise<Account> {
  const { loyaltyAccount } = await who.ask<{ loyaltyAccount: Account }>(
    '{ loyaltyAccount { state points tier { name } stamps { have need } catalog { id } } }',
  );
  return loyaltyAccount;
}

/** Joins the program at the shop, with the code from the mail. */
async function join(who: Visitor, email: string): Promise<void> {
  await who.ask('mutation { requestLoyaltyCode }');
  const code = await stage.mailedCode(email);
  await who.ask('mutation ($code: String!) { joinLoyalty(code: $code) { state } }', { code });
}

function taken(answer: CartOrder | Refused): CartOrder {
  if ('errorCode' in answer) assert.fail(`${answer.errorCode}: ${answer.message}`);
  return answer;
}

/** Waits until the order has so many points at the service, and returns what it has. */
async function pointsOf(orderCode: string, expected: number): Promise<number> {
  let points = -1;
  await until(async () => {
    points = await stage.client.getOrder({ external_id: orderCode }).then(
      (order) => order.points,
      (error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return -1;
        throw error;
      },
    );
    return points === expected;
  }).catch(() => undefined);
  return points;
}

async function stateOfCode(code: string): Promise<'usable' | 'used'> {
  try {
    await stage.client.previewRedemptionCodeV2(code);
    return 'usable';
  } catch (error) {
    if (error instanceof ApiError && error.code === 'benefit_used') return 'used';
    throw error;
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('it did not happen within a minute');
    await sleep(200);
  }
}
