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

test('an open order creates nobody, and a consumption with its id is a 409; the paid one answers it as a replay', async () => {
  const { shop, put, member } = await make();
  const by = { client_code: undefined, client_email: 'nobody-yet@example.com' };
  const open = await put('b', { ...by, status: 'open' });
  assert.deepEqual(
    [open.status, open.body],
    [
      201,
      {
        external_id: 'b',
        status: 'open',
        version: 1,
        stale: false,
        points: 0,
        points_waiting: 0,
        points_balance: null,
        purchase: { state: 'none', id: null, reason: null },
        codes: [],
      },
    ],
  );
  assert.deepEqual(said(await shop.post('/v1/clients/email', { client_email: 'nobody-yet@example.com' })), [
    404,
    'not_found',
  ]);
  const consume = (amount: number, id = 'b') =>
    shop.post('/v1/consumptions/client-code', { client_code: member.code, amount, external_id: id });
  assert.deepEqual(said(await consume(100)), [409, 'order_open']);
  await put('b', { version: 2 });
  const again = await consume(100);
  assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, 'true']);
  assert.deepEqual(said(await consume(99)), [409, 'duplicate_external_id']);
  await put('c', { status: 'cancelled' });
  assert.deepEqual(said(await consume(100, 'c')), [409, 'order_cancelled']);
  await assertBooksAgree(db, shop.id);
});

test('a consumption before its order is adopted if person and amount agree, and else a 409', async () => {
  const { shop, put, member } = await make();
  const other = await shop.member();
  const consume = (id: string) =>
    shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 100, external_id: id });
  const first = await consume('a');
  const adopted = await put('a', { id_suc: 7 });
  assert.equal(adopted.status, 201, adopted.text);
  assert.partialDeepStrictEqual(adopted.body, {
    points: 100,
    purchase: { state: 'recorded', id: Number(first.headers.get('x-consumption-id')) },
  });
  assert.partialDeepStrictEqual((await put('a', { version: 2, paid: 120, refunded: 10 })).body, {
    points: 110,
  });
  await consume('b');
  assert.deepEqual(said(await put('b', { paid: 99 })), [409, 'duplicate_external_id']);
  assert.deepEqual(said(await put('b', { client_code: other.code })), [409, 'duplicate_external_id']);
  await assertBooksAgree(db, shop.id);
});

test('an older version changes nothing, the same is a replay, and the same with other content a conflict with what stands', async () => {
  const { shop, put, member } = await make();
  await put('a', { version: 5 });
  const older = await put('a', { version: 4, paid: 7 });
  assert.equal(older.status, 200);
  assert.partialDeepStrictEqual(older.body, { version: 5, stale: true, points: 100 });
  await shop.sell(member, 30);
  const same = await put('a', { version: 5, client_code: undefined, client_email: member.email });
  assert.deepEqual([same.status, same.headers.get('idempotency-replayed')], [200, 'true']);
  assert.partialDeepStrictEqual(same.body, { version: 5, stale: false, points: 100, points_balance: 130 });
  const conflict = await put('a', { version: 5, paid: 101 });
  assert.deepEqual(said(conflict), [409, 'order_conflict']);
  assert.partialDeepStrictEqual(conflict.body, { order: { version: 5, points: 100 } });
  assert.deepEqual(said(await put('a', { version: 6, status: 'open' })), [409, 'order_conflict']);
  await assertBooksAgree(db, shop.id);
});

test('a version is a rising number or the milliseconds of now, and an order keeps its kind', async () => {
  const { put } = await make();
  const now = Date.now();
  for (const off of [-6, 6])
    assert.deepEqual(said(await put('a', { version: now + off * 60_000 })), [422, 'invalid']);
  assert.equal((await put('a', { version: now })).status, 201);
  assert.deepEqual(said(await put('a', { version: 17 })), [422, 'invalid']);
  assert.equal((await put('b', { version: 1_000_000_000_000 })).status, 201, 'not above it');
  assert.deepEqual(said(await put('b', { version: now })), [422, 'invalid']);
});

test('codes are held by an open order, used by a paid one, and released by leaving them out', async () => {
  const { shop, put, get, member } = await make();
  const [a, b] = [await shop.voucher(member, 'coffee'), await shop.voucher(member, 'coffee')];
  const codes = async (answer: Promise<Answer>) => {
    const { status, text, body } = await answer;
    assert.ok(status < 300, text);
    return Object.fromEntries(
      (body as { codes: { client_benefit_code: number; state: string; reason: string | null }[] }).codes.map(
        ({ client_benefit_code: code, state, reason }) => [
          code === a ? 'a' : code === b ? 'b' : code,
          reason === null ? state : `${state}: ${reason}`,
        ],
      ),
    );
  };
  assert.deepEqual(await codes(put('x', { status: 'open', codes: [a, b] })), { a: 'held', b: 'held' });
  assert.deepEqual(await codes(put('y', { status: 'open', codes: [a] })), { a: 'refused: held' });
  assert.deepEqual(await codes(put('y', { version: 2, codes: [a] })), { a: 'refused: held' });
  assert.deepEqual(await codes(put('x', { status: 'open', version: 2, codes: [a] })), {
    a: 'held',
    b: 'released',
  });
  await shop.post('/v1/benefits/redeem', { client_benefit_code: a });
  assert.deepEqual(await codes(get('x')), { a: 'released: benefit_used', b: 'released' });
  assert.deepEqual(await codes(put('x', { version: 3, codes: [a, b, 12345678901234] })), {
    a: 'refused: benefit_used',
    b: 'used',
    12345678901234: 'refused: not_found',
  });
  assert.deepEqual(await codes(put('x', { version: 4, codes: [] })), { b: 'used: with_return' });
  await assertBooksAgree(db, shop.id);
});

test('a cancelled order restores its codes if the program, its days and the key allow it, and is final', async () => {
  const made = await make({ codes: { undo_days: 5, with_return: 'restore' } });
  const { shop, put, member } = made;
  const code = await shop.voucher(member, 'coffee');
  await put('x', { codes: [code] });
  const plain = await call('PUT', '/v1/orders/x', {
    headers: { authorization: `Bearer ${shop.key}` },
    body: { client_code: member.code, status: 'cancelled', paid: 100, refunded: 0, codes: [], version: 2 },
  });
  assert.partialDeepStrictEqual(plain.body, { points: 0, codes: [{ state: 'used', reason: 'scope' }] });
  const cancelled = await put('x', { status: 'cancelled', version: 3 });
  assert.equal(cancelled.status, 200, cancelled.text);
  assert.partialDeepStrictEqual(cancelled.body, { points: 0, codes: [{ state: 'restored', reason: null }] });
  assert.deepEqual(said(await put('x', { version: 4 })), [409, 'order_cancelled']);
  assert.equal((await put('x', { status: 'cancelled', version: 5 })).status, 200);
  assert.equal((await shop.post('/v1/benefits/redeem', { client_benefit_code: code })).status, 200);
  await assertBooksAgree(db, shop.id);
});
