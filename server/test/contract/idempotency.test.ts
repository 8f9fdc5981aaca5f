import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { sql, transaction } from '#db/database.ts';
import { PATIENT, nameOf, open } from '#test/database.ts';
import { SECRET, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { rawRequest } from '#test/raw-request.ts';
import { onOneServer } from '#test/on-cluster.ts';

const AT_ONCE = 20;
const reused = {
  detail: [
    {
      loc: ['header', 'idempotency-key'],
      msg: 'Value error, this key was already used with a different request',
      type: 'value_error',
    },
  ],
};

/** The calls that take a key. Each has a request, a different request, and a count of the effects of the first. */
const CALLS: readonly {
  readonly name: string;
  readonly status: number;
  readonly path: (made: Made) => string;
  readonly body: (made: Made) => object;
  readonly other: (made: Made) => object;
  readonly effects: (made: Made) => Promise<number>;
}[] = [
  {
    name: 'a purchase by code',
    status: 201,
    path: () => '/v1/consumptions/client-code',
    body: ({ member }) => ({ client_code: member.code, amount: 10 }),
    other: ({ member }) => ({ client_code: member.code, amount: 11 }),
    effects: async (made) => ((await pointsOf(made)) - 1_000) / 10,
  },
  {
    name: 'a purchase by e-mail',
    status: 201,
    path: () => '/v1/consumptions/email',
    body: ({ member }) => ({ client_email: member.email, amount: 10 }),
    other: () => ({ client_email: 'another@example.com', amount: 10 }),
    effects: async (made) => ((await pointsOf(made)) - 1_000) / 10,
  },
  {
    name: 'a reversal',
    status: 201,
    path: ({ purchaseId }) => `/v1/consumptions/${purchaseId}/reversal`,
    body: () => ({ amount: 7 }),
    other: () => ({ amount: 8 }),
    effects: async (made) => (1_000 - (await pointsOf(made))) / 7,
  },
  {
    name: 'a redemption',
    status: 200,
    path: () => '/v1/benefits/redeem',
    body: ({ vouchers }) => ({ client_benefit_code: vouchers[0] }),
    other: ({ vouchers }) => ({ client_benefit_code: vouchers[1] }),
    effects: async ({ shop, member }) => {
      const { body } = await shop.get(`/v1/clients/${member.code}/benefits`);
      return (body as { used: boolean }[]).filter(({ used }) => used).length;
    },
  },
];

for (const { name, status, path, body, other, effects } of CALLS) {
  test(`${name} sent ${AT_ONCE} times at once with one key counts once, and all responses are the same`, async () => {
    const made = await make();
    const send = (sent: object, key = 'k') => made.shop.post(path(made), sent, { 'idempotency-key': key });
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(body(made))));
    answers.push(await send(body(made)));
    assertAlike(answers, status);
    assert.equal(await effects(made), 1);

    const mismatch = await send(other(made));
    assert.deepEqual([mismatch.status, mismatch.body], [422, reused]);
    assert.equal(await effects(made), 1);
  });

  test(`${name} takes 1 to 255 printable ASCII characters as a key, once`, async () => {
    const made = await make();
    const send = (...keys: string[]) =>
      rawRequest(
        'POST',
        path(made),
        [
          ['authorization', `Bearer ${made.shop.key}`],
          ...keys.map((key) => ['idempotency-key', key] as const),
        ],
        body(made),
      );
    for (const [key, type] of [
      ['', 'string_too_short'],
      ['k'.repeat(256), 'string_too_long'],
      ['a\tb', 'string_pattern_mismatch'],
      ['caf\xe9', 'string_pattern_mismatch'],
    ] as const)
      assertHeaderFault(await send(key), type);
    assertHeaderFault(await send('a', 'b'), 'string_type');
    assertHeaderFault(await send('a', 'a'), 'string_type');
    assert.equal(await effects(made), 0);
    assert.equal((await send('~ k!'.padEnd(255, 'k'))).status, status);
  });
}

test('the same key on another kind of call or at another shop is a different key', async () => {
  const [made, elsewhere] = [await make(), await make()];
  for (const one of [made, elsewhere])
    for (const { path, body, status } of CALLS.filter(({ name }) => name !== 'a purchase by e-mail')) {
      const answer = await one.shop.post(path(one), body(one), { 'idempotency-key': 'the-same' });
      assert.deepEqual([answer.status, answer.headers.get('idempotency-replayed')], [status, null]);
    }
});

test('a refusal is not stored: the same key may be tried again', async () => {
  const { shop, member } = await make();
  const key = { 'idempotency-key': 'again' };
  const send = (amount: number) =>
    shop.post('/v1/consumptions/client-code', { client_code: member.code, amount }, key);
  assert.equal((await send(0)).status, 400);
  assert.equal((await send(5)).status, 201);
  assert.equal((await send(5)).headers.get('idempotency-replayed'), 'true');
});

test(`an exchange sent ${AT_ONCE} times at once with one key buys once, and repeats always get the same bytes`, async () => {
  const { shop, member } = await make();
  const browser = await shop.browser(member);
  const buy = (benefitId: string, key: string) =>
    browser.post('/v1/me/benefits/exchange', { benefit_id: benefitId }, { 'idempotency-key': key });
  const before = await pointsOf({ shop, member });
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => buy('coffee', 'k')));
  assertAlike(answers, 200);
  assert.equal(await pointsOf({ shop, member }), before - 1);

  const { client_benefit_code: code } = answers[0]!.body as { client_benefit_code: number };
  await shop.post('/v1/benefits/redeem', { client_benefit_code: code });
  await shop.leave(member);
  await shop.apply({ benefits: [] });
  const late = await buy('coffee', 'k');
  assert.deepEqual(
    [late.status, late.text, late.headers.get('idempotency-replayed')],
    [200, answers[0]!.text, 'true'],
  );
  assert.deepEqual((await buy('tea', 'k')).body, reused);

  const other = await shop.browser(await shop.member());
  const theirs = await other.post(
    '/v1/me/benefits/exchange',
    { benefit_id: 'coffee' },
    { 'idempotency-key': 'k' },
  );
  assert.equal(theirs.status, 400, 'another member’s key is a different key');
});

const withLimits = {
  skip: onOneServer('the machines wait as long as the role says, and pooler.test.ts shows that it is told'),
};

test(
  'a duplicate whose twin is still running after two seconds is a 409, and the key is free if the twin fails',
  withLimits,
  async (t) => {
    const { db } = await service();
    const hasty = open(await nameOf(db), 6, { ...PATIENT, lockMs: 500 });
    const app = await buildApp({ db: hasty, log: false, secret: SECRET });
    t.after(async () => {
      await app.close();
      await hasty.destroy();
    });
    const { shop, member, vouchers } = await make();
    const { token } = await shop.browser(member);
    const key = { 'idempotency-key': 'slow' };
    const byKey = { ...key, authorization: `Bearer ${shop.key}` };
    const byToken = { ...key, authorization: `Bearer ${token}`, 'x-commerce-id': String(shop.id) };
    const post = (url: string, headers: Record<string, string>, payload: object) => () =>
      app.inject({ method: 'POST', url, headers, payload });
    const calls = [
      post('/v1/consumptions/client-code', byKey, { client_code: member.code, amount: 10 }),
      post('/v1/benefits/redeem', byKey, { client_benefit_code: vouchers[0] }),
      post('/v1/me/benefits/exchange', byToken, { benefit_id: 'coffee' }),
    ];
    class Rollback extends Error {}
    const slow = transaction(db, async (tx) => {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      for (const operation of ['purchase', 'redeem', `exchange/${member.userId}`])
        await sql`
        insert into idempotency_keys (commerce_id, operation, key, fingerprint)
        values (${shop.id}, ${operation}, 'slow', '')`.execute(tx);
      const answers = await Promise.all(calls.map((send) => send()));
      for (const answer of answers)
        assert.deepEqual([answer.statusCode, Object.keys(answer.json())], [409, ['message']], answer.payload);
      throw new Rollback();
    });
    await assert.rejects(slow, Rollback);
    for (const send of calls) {
      const answer = await send();
      assert.ok(
        answer.statusCode < 300 && answer.headers['idempotency-replayed'] === undefined,
        answer.payload,
      );
    }
  },
);

test('without a key, every call counts', async () => {
  const { shop, member } = await make();
  for (let i = 0; i < 3; i++) {
    const answer = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 10 });
    assert.deepEqual([answer.status, answer.headers.get('idempotency-replayed')], [201, null]);
  }
  assert.equal(await pointsOf({ shop, member }), 1_030);
});

interface Made {
  readonly shop: Shop;
  readonly member: MadeMember;
  readonly vouchers: readonly number[];
  readonly purchaseId: number;
}

async function make(): Promise<Made> {
  const shop = await makeShop({
    benefits: [benefit('coffee', { cost: 1 }), benefit('tea', { cost: 1 }), benefit('free', { cost: 0 })],
  });
  const member = await shop.member();
  const sold = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 1_000 });
  const vouchers = [await shop.voucher(member, 'free'), await shop.voucher(member, 'free')];
  return { shop, member, vouchers, purchaseId: Number(sold.headers.get('x-consumption-id')) };
}

/** Asserts that one response is the original and that all others are replays of it. */
function assertAlike(answers: readonly Answer[], status: number): void {
  const [first] = answers;
  for (const answer of answers) {
    assert.deepEqual([answer.status, answer.text], [status, first!.text]);
    for (const header of ['x-consumption-id', 'location'])
      assert.equal(answer.headers.get(header), first!.headers.get(header));
  }
  const replays = answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
  assert.equal(replays.length, answers.length - 1);
}

function assertHeaderFault(answer: Answer, type: string): void {
  assert.equal(answer.status, 422);
  const { detail } = answer.body as { detail: { loc: unknown; type: string }[] };
  assert.deepEqual(
    detail.map((fault) => [fault.loc, fault.type]),
    [[['header', 'idempotency-key'], type]],
  );
}

async function pointsOf({ shop, member }: Pick<Made, 'shop' | 'member'>): Promise<number> {
  const { body } = await shop.get(`/v1/clients/${member.code}`);
  return (body as { points: number }).points;
}
