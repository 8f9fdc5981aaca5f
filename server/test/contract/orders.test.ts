/** An order as a state: `PUT /v1/orders/{external_id}`, sentence by sentence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { setClock } from '#commerces/clock.ts';
import { sql, transaction } from '#db/database.ts';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { runJob } from '#jobs/run-jobs.ts';
import { importPurchases } from '#purchases/import-purchases.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { buildApp } from '../../src/app.ts';
import { assertBooksAgree } from '#test/books.ts';
import { call, SECRET, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';

const { db } = await service();

interface Made {
  readonly shop: Shop;
  readonly member: MadeMember;
  readonly key: string;
  readonly put: (id: string, state?: object) => Promise<Answer>;
  readonly get: (id: string) => Promise<Answer>;
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

test('an order may have any id, also a word that is a path', async () => {
  const { put, get } = await make();
  assert.equal((await put('preview')).status, 201);
  const { status, body } = await get('preview');
  assert.deepEqual([status, (body as { external_id: string }).external_id], [200, 'preview']);
});

test('a null field of a line counts as absent: the state is the same', async () => {
  const { put } = await make();
  const line = { id: '1', amount: 100 };
  assert.equal((await put('nulls', { lines: [line] })).status, 201);
  const again = await put('nulls', { lines: [{ ...line, product: null, units: null }] });
  assert.deepEqual([again.status, again.headers.get('x-error-code')], [200, null]);
});

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

test('the same version of an open order with another buyer is a conflict, however the first one is named', async () => {
  const { shop, put, member } = await make();
  const other = await shop.member();
  await put('a', { status: 'open' });
  const by = (client_email: string) => ({ status: 'open', client_code: undefined, client_email });
  assert.equal((await put('a', by(member.email))).headers.get('idempotency-replayed'), 'true');
  for (const another of [
    { status: 'open', client_code: other.code },
    by(other.email),
    by('nobody@example.com'),
  ])
    assert.deepEqual(said(await put('a', another)), [409, 'order_conflict']);
  assert.equal((await put('a', { status: 'open', client_code: other.code, version: 2 })).status, 200);
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

test('an order takes over what its cart holds of its codes, and nothing else of the cart', async () => {
  const { shop, put, get, member } = await make();
  const [a, b] = [await shop.voucher(member, 'coffee'), await shop.voucher(member, 'coffee')];
  const hold = (code: number, externalId: string) =>
    shop.post('/v1/benefits/holds', { client_benefit_code: code, external_id: externalId });
  for (const code of [a, b]) assert.equal((await hold(code, 'cart 1')).status, 201);
  const stateOf = ({ body }: Answer) => {
    const { state, reason } = (body as { codes: { state: string; reason: string | null }[] }).codes[0]!;
    return [state, reason];
  };
  for (const cart of [undefined, null, 'cart 2'])
    assert.deepEqual(stateOf(await put(`of ${cart}`, { status: 'open', codes: [a], cart_id: cart })), [
      'refused',
      'held',
    ]);
  const open = { status: 'open', codes: [a], cart_id: 'cart 1' };
  assert.deepEqual(stateOf(await put('x', open)), ['held', null]);
  assert.deepEqual(said(await hold(a, 'cart 1')), [409, 'held']);
  assert.equal((await hold(b, 'cart 1')).status, 200, 'what the order does not name stays with the cart');
  await call('DELETE', '/v1/benefits/holds/cart%201', { headers: { authorization: `Bearer ${shop.key}` } });
  assert.deepEqual(stateOf(await get('x')), ['held', null]);
  assert.deepEqual(stateOf(await put('y', { ...open, status: 'paid' })), ['refused', 'held']);
  const paid = { version: 2, codes: [a], cart_id: 'cart 1' };
  assert.deepEqual(stateOf(await put('x', paid)), ['used', null]);
  assert.equal((await put('x', paid)).headers.get('idempotency-replayed'), 'true');
  assert.deepEqual(said(await put('x', { ...paid, cart_id: 'cart 2' })), [409, 'order_conflict']);
  assert.deepEqual(said(await put('z', { cart_id: '..' })), [422, 'invalid']);
  await assertBooksAgree(db, shop.id);
});

test('a code that a cart held before its due date is used by the order of the cart, whatever its id', async () => {
  const { shop, put, member } = await make({ benefits: [benefit('coffee', { cost: 0, valid_days: 10 })] });
  const code = await shop.voucher(member, 'coffee');
  await shop.post('/v1/benefits/holds', { client_benefit_code: code, external_id: 'cart' });
  await shop.moveClock('11 days');
  assert.partialDeepStrictEqual((await put('x', { codes: [code], cart_id: 'cart' })).body, {
    codes: [{ state: 'used', reason: null }],
  });
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

test('a buyer is named in one way, an unknown code is a 404, and after payment another person is a 409', async () => {
  const { shop, put, member } = await make();
  const other = await shop.member();
  assert.deepEqual(said(await put('a', { client_code: null })), [422, 'invalid']);
  assert.deepEqual(said(await put('a', { client_email: member.email })), [422, 'invalid']);
  assert.deepEqual(said(await put('a', { client_code: 123456789 })), [404, 'not_found']);
  assert.equal((await put('a', { status: 'open' })).status, 201);
  assert.equal((await put('a', { status: 'open', version: 2, client_code: other.code })).status, 200);
  assert.equal((await put('a', { version: 3 })).status, 200, 'an open order may change hands');
  assert.deepEqual(said(await put('a', { version: 4, client_code: other.code })), [409, 'buyer']);
  const byEmail = { version: 5, client_code: null, client_email: 'somebody-else@example.com' };
  assert.deepEqual(said(await put('a', byEmail)), [409, 'buyer']);
  assert.equal((await put('a', { ...byEmail, client_email: member.email })).status, 200);
  await assertBooksAgree(db, shop.id);
});

test('a paid order of a stranger invites them, and their points wait', async () => {
  const { shop, put } = await make();
  const answer = await put('a', { client_code: null, client_email: 'new-here@example.com' });
  assert.partialDeepStrictEqual(answer.body, {
    points: 100,
    points_balance: 100,
    purchase: { state: 'recorded' },
  });
  const again = await shop.post('/v1/consumptions/email', {
    client_email: 'new-here@example.com',
    amount: 1,
  });
  assert.equal(again.headers.get('x-points-balance'), '101');
  await assertBooksAgree(db, shop.id);
});

test('an order of 0 is no purchase, and its codes are used', async () => {
  const { shop, put, member } = await make();
  const code = await shop.voucher(member, 'coffee');
  const answer = await put('a', { paid: 0, codes: [code] });
  assert.partialDeepStrictEqual(answer.body, {
    points: 0,
    purchase: { state: 'none', id: null, reason: null },
    codes: [{ client_benefit_code: code, state: 'used' }],
  });
  await assertBooksAgree(db, shop.id);
});

test('what was refunded never becomes less, and is never more than was paid', async () => {
  const { put } = await make();
  await put('a', { refunded: 40 });
  assert.deepEqual(said(await put('a', { version: 2, refunded: 39 })), [409, 'order_conflict']);
  assert.deepEqual(said(await put('a', { version: 2, refunded: 101 })), [400, 'invalid_amount']);
  assert.deepEqual(said(await put('b', { refunded: 101 })), [400, 'invalid_amount']);
});

test('paid_at is fixed, not far in the future, and at most 72 hours before the first state', async () => {
  const { shop, put } = await make();
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  assert.deepEqual(said(await put('a', { paid_at: hoursAgo(-1) })), [400, 'invalid_paid_at']);
  assert.deepEqual(said(await put('a', { paid_at: hoursAgo(73) })), [400, 'invalid_paid_at']);
  const paidAt = hoursAgo(71);
  const { body } = await put('a', { paid_at: paidAt });
  const { id } = (body as { purchase: { id: number } }).purchase;
  assert.partialDeepStrictEqual((await shop.get(`/v1/consumptions/${id}`)).body, { date: paidAt });
  assert.deepEqual(said(await put('a', { version: 2, paid_at: hoursAgo(70) })), [409, 'order_conflict']);
  assert.equal((await put('a', { version: 2, paid_at: paidAt, paid: 110 })).status, 200);
  assert.equal((await put('a', { version: 3, paid: 120 })).status, 200, 'without paid_at');
  await assertBooksAgree(db, shop.id);
});

test('refunds of an imported order follow however old it is, and each state may say when the shop was paid', async () => {
  const { shop, put, member } = await make();
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000).toISOString();
  const rows = ['old', 'other'].map((external_id, i) => ({
    line: i + 2,
    fields: { client_email: member.email, amount: '100', date: daysAgo(400), external_id },
  }));
  const { imported } = await importPurchases(
    db,
    shop.id,
    (async function* () {
      yield* rows;
    })(),
  );
  assert.equal(imported, 2);
  const lines = (returned: number) => [{ id: '1', amount: 100, returned_amount: returned }];
  const asPaid = { client_code: null, client_email: member.email, paid_at: daysAgo(399) };
  const first = await put('old', { ...asPaid, refunded: 30, lines: lines(30) });
  assert.partialDeepStrictEqual([first.status, first.body], [201, { points: 70 }]);
  const second = await put('old', { ...asPaid, version: 2, refunded: 50, lines: lines(50) });
  assert.partialDeepStrictEqual([second.status, second.body], [200, { points: 50 }]);
  assert.deepEqual(said(await put('old', { ...asPaid, version: 3, refunded: 50, paid_at: daysAgo(398) })), [
    409,
    'order_conflict',
  ]);
  const last = await put('old', { ...asPaid, version: 3, status: 'cancelled', refunded: 50 });
  assert.partialDeepStrictEqual([last.status, last.body], [200, { points: 0 }]);
  assert.deepEqual(said(await put('other', { ...asPaid, paid: 99 })), [409, 'duplicate_external_id']);
  assert.deepEqual(said(await put('unknown', asPaid)), [400, 'invalid_paid_at']);
  await assertBooksAgree(db, shop.id);
});

test('a shop whose clock is ahead pays now, and says the same paid_at in every state', async () => {
  const { shop, put } = await make();
  const minutesAhead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  assert.deepEqual(said(await put('a', { paid_at: minutesAhead(6) })), [400, 'invalid_paid_at']);
  const paidAt = minutesAhead(4);
  const first = await put('a', { paid_at: paidAt });
  assert.equal(first.status, 201, first.text);
  const { id } = (first.body as { purchase: { id: number } }).purchase;
  const recorded = (await shop.get(`/v1/consumptions/${id}`)).body as { date: string };
  assert.ok(recorded.date < paidAt, `recorded at ${recorded.date}, which is not ahead`);
  const grown = await put('a', { version: 2, paid_at: paidAt, paid: 110 });
  assert.partialDeepStrictEqual([grown.status, grown.body], [200, { points: 110 }]);
  assert.deepEqual(said(await put('a', { version: 3, paid_at: minutesAhead(3) })), [409, 'order_conflict']);
  await assertBooksAgree(db, shop.id);
});

test('an order earns by the rule in force when it was paid, and so does its growth', async () => {
  const { shop, put } = await make({ earning: { money_per_point: 10 } });
  await shop.moveClock('2 days');
  await shop.apply({
    sandbox: true,
    benefits: [benefit('coffee', { cost: 0 })],
    earning: { money_per_point: 1 },
  });
  const paidAt = new Date(Date.now() + 24 * 3_600_000).toISOString();
  assert.partialDeepStrictEqual((await put('a', { paid_at: paidAt })).body, { points: 10 });
  assert.partialDeepStrictEqual((await put('a', { version: 2, paid: 200 })).body, { points: 20 });
  assert.partialDeepStrictEqual((await put('b')).body, { points: 100 });
  await assertBooksAgree(db, shop.id);
});

test('an order earns by the tier that the buyer held when it was paid', async () => {
  const { shop, put, member } = await make({
    levels: { ladder: [{ name: 'Gold', threshold: 500, points_multiplier: 2 }] },
  });
  const minutesAgo = (minutes: number) => new Date(Date.now() + (60 - minutes) * 60_000).toISOString();
  await shop.moveClock('30 minutes');
  await shop.sell(member, 500);
  await shop.moveClock('30 minutes');
  assert.partialDeepStrictEqual((await put('before', { paid_at: minutesAgo(45) })).body, { points: 100 });
  assert.partialDeepStrictEqual((await put('after', { paid_at: minutesAgo(15) })).body, { points: 200 });
  assert.partialDeepStrictEqual((await put('before', { version: 2, paid: 130 })).body, { points: 130 });
  await assertBooksAgree(db, shop.id);
});

for (const jobsRan of [true, false])
  test(`an order that arrives after a period has ended finds it ended, ${jobsRan ? 'after' : 'before'} the jobs have seen it`, async () => {
    const { shop, put, member } = await make({
      levels: { valid_months: 1, ladder: [{ name: 'Gold', threshold: 500 }] },
      points_expiration: { mode: 'accumulated', months: 1 },
    });
    const browser = await shop.browser(member);
    const stands = async () => {
      const {
        is_expired: isExpired,
        total_earned_points: total,
        next_level: next,
      } = (await browser.get('/v1/me/level')).body as {
        is_expired: boolean;
        total_earned_points: number;
        next_level: { threshold: number };
      };
      return [isExpired, next.threshold - total];
    };
    await setClock(db, shop.id, new Date('2027-01-10T12:00:00Z'));
    for (const amount of [500, 300]) await shop.sell(member, amount);
    await setClock(db, shop.id, new Date('2027-02-11T12:00:00Z'));
    if (jobsRan) for (const job of ['expire-points', 'expire-tiers'] as const) await runJob(db, job, shop.id);
    assert.deepEqual(await stands(), [true, 500]);
    const paid = { paid: 250, paid_at: '2027-02-10T20:00:00.000Z' };
    assert.partialDeepStrictEqual((await put('late', paid)).body, { points: 250, points_balance: 250 });
    assert.deepEqual(await stands(), [true, 250]);
    await put('late', { ...paid, status: 'cancelled', version: 2 });
    assert.deepEqual(await stands(), [true, 500]);
    await assertBooksAgree(db, shop.id);
  });

test('who left or is blocked is a 403 for what would earn or newly hold, and everything else is carried out', async () => {
  const { shop, put, member } = await make({ codes: { undo_days: 5, with_return: 'restore' } });
  const [held, other] = [await shop.voucher(member, 'coffee'), await shop.voucher(member, 'coffee')];
  await put('paid', { refunded: 10 });
  await put('cart', { status: 'open', codes: [held] });
  await shop.block(member);
  assert.deepEqual(said(await put('new')), [403, 'not_eligible']);
  assert.deepEqual(said(await put('new', { status: 'open', codes: [other] })), [403, 'not_eligible']);
  assert.equal((await put('new', { status: 'open' })).status, 201);
  assert.deepEqual(said(await put('paid', { version: 2, paid: 120, refunded: 10 })), [403, 'not_eligible']);
  assert.partialDeepStrictEqual((await put('paid', { version: 2, refunded: 30 })).body, { points: 70 });
  assert.partialDeepStrictEqual((await put('cart', { version: 2, codes: [held] })).body, {
    purchase: { state: 'refused', reason: 'not_eligible' },
    codes: [{ client_benefit_code: held, state: 'used', reason: null }],
  });
  assert.partialDeepStrictEqual((await put('cart', { version: 3, status: 'cancelled' })).body, {
    codes: [{ client_benefit_code: held, state: 'restored', reason: null }],
  });
  await assertBooksAgree(db, shop.id);
});

test('the order of a person who was erased is still refunded and cancelled', async () => {
  const { shop, put, member } = await make();
  await put('a', { client_code: null, client_email: member.email, lines: [{ id: '1', amount: 100 }] });
  await shop.erase(member);
  const state = { client_code: null, client_email: member.email };
  assert.equal(
    (await put('a', { ...state, version: 2, refunded: 30, lines: [{ id: '1', amount: 100 }] })).status,
    200,
  );
  assert.equal((await put('a', { ...state, version: 3, status: 'cancelled', refunded: 30 })).status, 200);
  const { rows } = await sql`select from order_lines where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 0);
  await assertBooksAgree(db, shop.id);
});

test('what is refused refuses only itself, and a higher version tries it again', async () => {
  const made = await make({ earning: { money_per_point: 1, max_amount: 1000 } });
  const { shop, put, member } = made;
  const code = await shop.voucher(member, 'coffee');
  const tooHigh = await put('a', { paid: 1001, codes: [code] });
  assert.partialDeepStrictEqual(tooHigh.body, {
    points: 0,
    purchase: { state: 'refused', id: null, reason: 'invalid_amount' },
    codes: [{ state: 'used' }],
  });
  assert.partialDeepStrictEqual((await put('a', { version: 2, paid: 1000, codes: [code] })).body, {
    points: 1000,
    purchase: { state: 'recorded', reason: null },
  });
  assert.partialDeepStrictEqual((await put('a', { version: 3, paid: 1001, codes: [code] })).body, {
    points: 1000,
    purchase: { state: 'recorded', reason: 'invalid_amount' },
  });
  await assertBooksAgree(db, shop.id);
});

test('another currency is a 400, and lines add up to what was paid', async () => {
  const { shop, put } = await make();
  assert.deepEqual(said(await put('a', { currency: 'USD' })), [400, 'currency']);
  const lines = (...amounts: number[]) =>
    amounts.map((amount, i) => ({ id: String(i), amount, categories: ['x'] }));
  assert.deepEqual(said(await put('a', { lines: lines(60, 39) })), [400, 'invalid_amount']);
  assert.deepEqual(said(await put('a', { lines: [...lines(60), ...lines(40)] })), [422, 'invalid']);
  assert.deepEqual(said(await put('a', { lines: lines(...Array<number>(101).fill(1)) })), [422, 'invalid']);
  assert.equal((await put('a', { currency: 'EUR', lines: lines(60, 40) })).status, 201);
  const { rows } = await sql<{ lines: unknown[] }>`
    select lines from order_lines where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows[0]!.lines.length, 2);
});

test('an order has no DELETE, and an id is no dot segment', async () => {
  const { key, put, get } = await make();
  await put('a b/c%');
  assert.partialDeepStrictEqual((await get('a b/c%')).body, { external_id: 'a b/c%' });
  const answer = await call('DELETE', '/v1/orders/a', { headers: { authorization: `Bearer ${key}` } });
  assert.deepEqual(said(answer), [405, 'method']);
  assert.deepEqual(said(await put('x'.repeat(256))), [422, 'invalid']);
  assert.deepEqual(said(await put('é')), [422, 'invalid']);
});

test('orders are listed newest first, by buyer, state and time', async () => {
  const { shop, put, member, key } = await make();
  const other = await shop.member();
  for (let i = 0; i < 25; i += 1)
    await put(`o ${i}`, i % 5 === 0 ? { client_code: other.code, status: 'open' } : {});
  const list = async (query: string) => {
    const answer = await call('GET', `/v1/orders${query}`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 200, answer.text);
    return answer.body as { results: { external_id: string; points: number }[]; next_cursor: string | null };
  };
  const first = await list('');
  assert.equal(first.results.length, 20);
  const second = await list(`?cursor=${encodeURIComponent(first.next_cursor!)}`);
  assert.deepEqual([second.results.length, second.next_cursor], [5, null]);
  const all = new Set([...first.results, ...second.results].map(({ external_id }) => external_id));
  assert.equal(all.size, 25);
  assert.equal((await list(`?client_code=${other.code}`)).results.length, 5);
  assert.equal((await list('?status=paid')).results.length, 20);
  assert.equal((await list(`?client_code=${member.code}&status=open`)).results.length, 0);
  assert.equal((await list('?to=2020-01-01T00:00:00Z')).results.length, 0);
});

test('a preview says what the order would earn, for a member, a stranger and a visitor', async () => {
  const { shop, put, member, key } = await make({
    levels: {
      threshold_type: 'points',
      ladder: [
        { id: 'base', name: 'Base', threshold: 0, points_multiplier: 1 },
        { id: 'gold', name: 'Gold', threshold: 100, points_multiplier: 2 },
      ],
    },
  });
  const preview = async (body: object) => {
    const answer = await call('POST', '/v1/orders/preview', {
      headers: { authorization: `Bearer ${key}` },
      body,
    });
    return answer.status === 200 ? (answer.body as { points: number }).points : said(answer);
  };
  const visit = async (body: object) => {
    const headers = { 'x-commerce-id': String(shop.id) };
    const answer = await call('POST', '/v1/public/earning-preview', { headers, body });
    return answer.status === 200 ? (answer.body as { points: number }).points : said(answer);
  };
  await put('a');
  assert.equal(await preview({ client_code: member.code, paid: 50 }), 100);
  assert.equal(await preview({ client_email: 'not-here@example.com', paid: 50 }), 50);
  assert.equal(await preview({ paid: 50 }), 50);
  assert.deepEqual(await preview({ paid: 50, currency: 'USD' }), [400, 'currency']);
  const both = { client_code: member.code, client_email: member.email };
  assert.deepEqual(await preview({ ...both, paid: 50 }), [422, 'invalid']);
  assert.deepEqual(await preview({ client_code: member.code, paid: 50, currency: 'USD' }), [400, 'currency']);
  assert.equal(await visit({ amount: 24 }), 24);
  assert.equal(await visit({ amount: 24, level: 'gold' }), 48);
  assert.deepEqual(await visit({ amount: 24, level: 'silver' }), [400, 'unknown_level']);
  assert.deepEqual(await visit({ amount: 24, lines: [{ id: '1', amount: 23 }] }), [400, 'invalid_amount']);
});

test('a preview without a buyer counts what holds for everybody: of the lines and the channel, and nothing of a person', async () => {
  const { shop, member, key } = await make({
    earning: {
      money_per_point: 1,
      rules: [
        {
          id: 'mugs',
          title: 'Mugs',
          when: { products: ['mug'], channels: ['web'] },
          give: { points: 5, per: 'unit' },
        },
        { id: 'first', title: 'First', when: { first_purchase: true }, give: { points: 100 } },
        { id: 'secret', title: 'Secret', public: false, give: { points: 1000 } },
      ],
    },
  });
  const lines = Array.from({ length: 30 }, (_, i) => ({
    id: String(i),
    amount: 1,
    product: 'mug',
    units: 1,
  }));
  const preview = async (more: object) => {
    const { status, text, body } = await call('POST', '/v1/orders/preview', {
      headers: { authorization: `Bearer ${key}` },
      body: { paid: 30, lines, ...more },
    });
    assert.equal(status, 200, text);
    return (body as { points: number }).points;
  };
  assert.equal(await preview({ channel: 'web' }), 30 + 30 * 5);
  assert.equal(await preview({}), 30);
  assert.equal(await preview({ channel: 'web', client_code: member.code }), 30 + 30 * 5 + 100 + 1000);
  assert.partialDeepStrictEqual((await shop.get('/v1/consumptions')).body, { results: [] });
});

test('each state is an event, growth is one of the purchase, and none tells lines', async () => {
  const { put, key } = await make();
  const lines = [{ id: '1', product: 'a-blue-mug', amount: 100 }];
  await put('a', { lines });
  await put('a', { version: 2, paid: 110 });
  await put('a', { version: 2, paid: 110 });
  const answer = await call('GET', '/v1/events', { headers: { authorization: `Bearer ${key}` } });
  const { events } = answer.body as { events: { type: string; data: Record<string, unknown> }[] };
  const ofOrders = events.filter(({ type }) => /^(order|purchase)\./.test(type));
  assert.deepEqual(
    ofOrders.map(({ type }) => type),
    ['purchase.recorded', 'order.changed', 'purchase.corrected', 'order.changed'],
  );
  assert.partialDeepStrictEqual(ofOrders[3]!.data, {
    external_id: 'a',
    status: 'paid',
    version: 2,
    paid: 110,
    refunded: 0,
  });
  assert.partialDeepStrictEqual(ofOrders[2]!.data, { amount: 10, points: 10, points_earned: 10 });
  assert.doesNotMatch(answer.text, /a-blue-mug/);
});

test('a key restores as many codes a day as it may undo, and the order says which it kept', async () => {
  const { shop, member, key } = await make({ codes: { undo_days: 5, with_return: 'restore' } });
  const app = await buildApp({ db, log: false, secret: SECRET, undosPerDay: 1 });
  const put = async (version: number, state: object) => {
    const answer = await app.inject({
      method: 'PUT',
      url: '/v1/orders/a',
      headers: { authorization: `Bearer ${key}` },
      payload: { client_code: member.code, paid: 100, refunded: 0, version, ...state },
    });
    return answer.json<{ codes: { state: string; reason: string | null }[] }>().codes;
  };
  const codes = [await shop.voucher(member, 'coffee'), await shop.voucher(member, 'coffee')];
  await put(1, { status: 'paid', codes });
  assert.partialDeepStrictEqual(await put(2, { status: 'cancelled', codes: [] }), [
    { state: 'restored', reason: null },
    { state: 'used', reason: 'rate_limited' },
  ]);
  await app.close();
  await assertBooksAgree(db, shop.id);
});

test('a code that an order holds stays held beyond its date, and shows as released once it is given back', async () => {
  const { shop, put, get, member } = await make({
    benefits: [benefit('coffee', { cost: 0, valid_days: 10 })],
  });
  const [used, given] = [await shop.voucher(member, 'coffee'), await shop.voucher(member, 'coffee')];
  const codesOf = async (answer: Promise<Answer>) =>
    ((await answer).body as { codes: object[] }).codes.map((one) => Object.values(one));
  await put('a', { status: 'open', codes: [used] });
  await put('b', { status: 'open', codes: [given] });
  await shop.moveClock('9 days');
  await transaction(db, (tx) => giveBackVoucher(tx, { commerceId: shop.id, code: given }));
  assert.deepEqual(await codesOf(get('b')), [[given, 'released', 'voucher_given_back']]);
  await shop.moveClock('2 days');
  assert.deepEqual(await codesOf(put('a', { status: 'open', version: 2, codes: [used] })), [
    [used, 'held', null],
  ]);
  assert.deepEqual(await codesOf(put('c', { status: 'open', codes: [used] })), [
    [used, 'refused', 'voucher_expired'],
  ]);
  assert.deepEqual(await codesOf(put('a', { version: 3, codes: [used] })), [[used, 'used', null]]);
  await assertBooksAgree(db, shop.id);
});

test('what is paid more after nobody confirmed in time earns nothing, also if all had been returned', async () => {
  const { shop, put, member } = await make({
    earning: { money_per_point: 1, pending: { until: 'confirmed', cancel_after_days: 10 } },
  });
  for (const id of ['returned', 'part of it']) await put(id, { paid: 50 });
  await put('returned', { paid: 50, refunded: 50, version: 2 });
  await shop.moveClock('12 days');
  const grown = await put('returned', { paid: 100, refunded: 50, version: 3 });
  assert.partialDeepStrictEqual(grown.body, {
    points: 0,
    points_waiting: 0,
    points_balance: 0,
    purchase: { state: 'recorded', reason: 'unconfirmed' },
  });
  // Whether or not a job has taken it back.
  const state = { paid: 60, version: 2 };
  assert.partialDeepStrictEqual((await put('part of it', state)).body, {
    purchase: { reason: 'unconfirmed' },
  });
  await runJob(db, 'pending-points', shop.id);
  assert.partialDeepStrictEqual((await put('part of it', { ...state, version: 3 })).body, {
    points: 0,
    purchase: { reason: 'unconfirmed' },
  });
  assert.partialDeepStrictEqual((await (await shop.browser(member)).get('/v1/me')).body, { points: 0 });
  await assertBooksAgree(db, shop.id);
});
