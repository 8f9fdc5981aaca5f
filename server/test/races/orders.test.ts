/** Orders against each other, against the till, and against consumptions with the same id. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { sql } from '#db/database.ts';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { assertBooksAgree } from '#test/books.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';

const { db } = await service();

async function make() {
  const shop = await makeShop({
    benefits: [benefit('coffee', { cost: 0 })],
    codes: { undo_days: 5, with_return: 'restore' },
  });
  const { key } = await createKey(db, shop.id, 'web shop', { scopes: KEY_SCOPES });
  const member = await shop.member();
  const put = (id: string, version: number, state: object = {}) =>
    call('PUT', `/v1/orders/${id}`, {
      headers: { authorization: `Bearer ${key}` },
      body: {
        client_code: member.code,
        status: 'paid',
        paid: 100,
        refunded: 0,
        codes: [],
        version,
        ...state,
      },
    });
  const points = async () =>
    ((await shop.get(`/v1/clients/${member.code}`)).body as { points: number }).points;
  return { shop, member, put, points };
}

const times = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

test('two senders state one order in many versions at once, and the highest version stands', async () => {
  const { shop, put, points } = await make();
  const versions = Array.from({ length: 30 }, (_, i) => i + 1);
  const states = [...versions, ...versions.toReversed()];
  const answers = await Promise.all(
    states.map((version) => put('one', version, { paid: 100 + version, refunded: version })),
  );
  assert.equal(times(answers, 201), 1);
  assert.equal(times(answers, 200), answers.length - 1, answers.map(({ text }) => text).join('\n'));
  assert.equal(await points(), 100);
  const { rows } = await sql`
    select from movements where commerce_id = ${shop.id} and type = 'purchase'`.execute(db);
  assert.equal(rows.length, 1, 'an order is one purchase');
  await assertBooksAgree(db, shop.id);
});

test('orders, carts and tills that want one code leave it used once', async () => {
  const { shop, member, put } = await make();
  for (let round = 0; round < 5; round += 1) {
    const code = await shop.voucher(member, 'coffee');
    const orders = await Promise.all([
      ...Array.from({ length: 12 }, (_, i) => put(`r${round}-o${i}`, 1, { codes: [code] })),
      ...Array.from({ length: 6 }, (_, i) => put(`r${round}-c${i}`, 1, { status: 'open', codes: [code] })),
      ...Array.from({ length: 6 }, () => shop.post('/v1/benefits/redeem', { client_benefit_code: code })),
    ]);
    const { rows } = await sql<{ uses: number }>`
      select count(*)::integer as uses from movements
       where commerce_id = ${shop.id} and type = 'usage' and voucher_code = ${code}`.execute(db);
    const used = orders.filter(
      ({ body }) => (body as { codes?: { state: string }[] }).codes?.[0]?.state === 'used',
    );
    assert.ok(rows[0]!.uses <= 1);
    const byTill = orders.slice(18).filter(({ status }) => status === 200).length;
    assert.equal(used.length + byTill, rows[0]!.uses);
    for (const { status, text } of orders.slice(0, 18)) assert.equal(status, 201, text);
  }
  await assertBooksAgree(db, shop.id);
});

test('orders that take over one cart, its release and the till at once leave its code used once, and not held', async () => {
  const { shop, member, put } = await make();
  const browser = await shop.browser(member);
  for (let round = 0; round < 5; round += 1) {
    const code = await shop.voucher(member, 'coffee');
    const cart = `cart-${round}`;
    await shop.post('/v1/benefits/holds', { client_benefit_code: code, external_id: cart });
    const tills = Array.from({ length: 4 }, () =>
      shop.post('/v1/benefits/redeem', { client_benefit_code: code }),
    );
    const release = call('DELETE', `/v1/benefits/holds/${cart}`, {
      headers: { authorization: `Bearer ${shop.key}` },
    });
    const orders = await Promise.all(
      Array.from({ length: 12 }, (_, i) => put(`t${round}-${i}`, 1, { codes: [code], cart_id: cart })),
    );
    const byTill = times(await Promise.all(tills), 200);
    assert.equal((await release).status, 200);
    for (const { status, text } of orders) assert.equal(status, 201, text);
    const used = orders.filter(
      ({ body }) => (body as { codes: { state: string }[] }).codes[0]!.state === 'used',
    );
    assert.equal(used.length + byTill, 1);
    assert.deepEqual((await browser.get('/v1/me/benefits/holds')).body, []);
  }
  await assertBooksAgree(db, shop.id);
});

test('an order and consumptions with its id at once are one purchase', async () => {
  const { shop, member, put, points } = await make();
  for (let round = 0; round < 10; round += 1) {
    const consume = () =>
      shop.post('/v1/consumptions/client-code', {
        client_code: member.code,
        amount: 100,
        external_id: `x${round}`,
      });
    const answers = await Promise.all([
      consume(),
      put(`x${round}`, 1),
      consume(),
      put(`x${round}`, 2),
      consume(),
    ]);
    for (const { status, text } of answers) assert.ok(status === 200 || status === 201, text);
    assert.equal(await points(), 100 * (round + 1));
  }
  const { rows } = await sql`
    select from movements where commerce_id = ${shop.id} and type = 'purchase'`.execute(db);
  assert.equal(rows.length, 10);
  await assertBooksAgree(db, shop.id);
});

test('an open order and consumptions with its id at once: either is first, and the other is told', async () => {
  const { shop, member, put, points } = await make();
  let recorded = 0;
  for (let round = 0; round < 10; round += 1) {
    const [order, consumption] = await Promise.all([
      put(`x${round}`, 1, { status: 'open' }),
      shop.post('/v1/consumptions/client-code', {
        client_code: member.code,
        amount: 100,
        external_id: `x${round}`,
      }),
    ]);
    assert.equal(order.status, 201, order.text);
    assert.ok(consumption.status === 201 || consumption.headers.get('x-error-code') === 'order_open');
    const adopted = (order.body as { purchase: { state: string } }).purchase.state === 'recorded';
    assert.equal(adopted, consumption.status === 201);
    if (adopted) recorded += 1;
  }
  assert.equal(await points(), 100 * recorded);
  await assertBooksAgree(db, shop.id);
});

test('an order that is refunded while its buyer is erased is refunded, whoever is first', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { shop, member, put } = await make();
    await put('one', 1);
    const [refunded] = await Promise.all([put('one', 2, { refunded: 40 }), shop.erase(member)]);
    assert.equal(refunded.status, 200, refunded.text);
    await assertBooksAgree(db, shop.id);
  }
});
