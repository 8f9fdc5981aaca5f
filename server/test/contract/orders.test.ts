/** An order as a state: `PUT /v1/orders/{external_id}`, sentence by sentence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { assertBooksAgree } from '#test/books.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';

const { db } = await service();

interface Made {
  readonly shop: Shop;
  readonly member: MadeMember;
  readonly key: string;
  put(id: string, state?: object): Promise<Answer>;
  get(id: string): Promise<Answer>;
}

async function make(fields: ProgramFields = {}): Promise<Made> {
  const shop = await makeShop({
    sandbox: true,
    benefits: [benefit('coffee', { cost: 0 })],
    ...fields,
  });
  const { key } = await createKey(db, shop.id, 'web shop', { scopes: KEY_SCOPES });
  const member = await shop.member();
  const headers = { authorization: `Bearer ${key}` };
  const path = (id: string) => `/v1/orders/${encodeURIComponent(id)}`;
  return {
    shop,
    member,
    key,
    put: (id, state = {}) =>
      call('PUT', path(id), {
        headers,
        body: {
          client_code: member.code,
          status: 'paid',
          paid: 100,
          refunded: 0,
          codes: [],
          version: 1,
          ...state,
        },
      }),
    get: (id) => call('GET', path(id), { headers }),
  };
}

const said = ({ status, headers }: Answer) => [status, headers.get('x-error-code')];

test('a paid order is one purchase: 201 the first time, and a look-up says the same', async () => {
  const { shop, put, get } = await make();
  const first = await put('order 1');
  assert.equal(first.status, 201, first.text);
  const { purchase, ...rest } = first.body as { purchase: { id: number } };
  assert.deepEqual(rest, {
    external_id: 'order 1',
    status: 'paid',
    version: 1,
    stale: false,
    points: 100,
    points_waiting: 0,
    points_balance: 100,
    codes: [],
  });
  assert.partialDeepStrictEqual(purchase, { state: 'recorded', reason: null });
  const consumption = await shop.get(`/v1/consumptions/${purchase.id}`);
  assert.partialDeepStrictEqual(consumption.body, { amount: 100, points: 100, external_id: 'order 1' });
  assert.deepEqual((await get('order 1')).body, first.body);
  assert.deepEqual(said(await get('order 2')), [404, 'not_found']);
  await assertBooksAgree(db, shop.id);
});

test('growth, refunds and a cancellation are corrections of the one purchase', async () => {
  const { shop, put } = await make();
  await put('a');
  const points = async (version: number, state: object) => {
    const answer = await put('a', { version, ...state });
    assert.equal(answer.status, 200, answer.text);
    return (answer.body as { points: number }).points;
  };
  assert.equal(await points(2, { paid: 150 }), 150);
  assert.equal(await points(3, { paid: 150, refunded: 30 }), 120);
  assert.equal(await points(4, { paid: 140, refunded: 30 }), 110);
  assert.equal(await points(5, { paid: 140, refunded: 140 }), 0);
  assert.equal(await points(6, { paid: 160, refunded: 140 }), 20);
  assert.equal(await points(7, { status: 'cancelled', paid: 160, refunded: 140 }), 0);
  await assertBooksAgree(db, shop.id);
});
