/** A shop names a purchase by its own order: that name counts once, whoever reports it and however often. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { expectTampering, onEnd, open, nameOf } from '#test/database.ts';
import { SECRET, service, type Answer } from '#test/harness.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { buildApp } from '../../app.ts';
import { importPurchases } from './import-purchases.ts';
import type { PurchaseFields } from './read-purchase-row.ts';

const BY_CODE = '/v1/consumptions/client-code';
const BY_EMAIL = '/v1/consumptions/email';

test('a purchase answers with the points it earned and the balance after it', async () => {
  const shop = await makeShop({ earning: { money_per_point: 10 } });
  const member = await shop.member();
  const first = await shop.post(BY_CODE, { client_code: member.code, amount: 259 });
  assert.deepEqual(toldBy(first), { earned: '25', balance: '25' });
  const second = await shop.post(BY_EMAIL, { client_email: member.email, amount: 9 });
  assert.deepEqual(toldBy(second), { earned: '0', balance: '25' });
});

test('the balance is below zero while a debt is paid off', async () => {
  const shop = await makeShop({ benefits: [{ ...COFFEE, cost: 80 }] });
  const member = await shop.member();
  const bought = await shop.post(BY_CODE, { client_code: member.code, amount: 100 });
  await shop.voucher(member, 'coffee');
  await shop.post(`${bought.headers.get('location')}/reversal`, {});
  const next = await shop.post(BY_CODE, { client_code: member.code, amount: 30 });
  assert.deepEqual(toldBy(next), { earned: '30', balance: '-50' });
});

test('expired points are not in the balance that a purchase answers with', async () => {
  const shop = await makeShop({ sandbox: true, points_expiration: { mode: 'rolling', months: 1 } });
  const member = await shop.member();
  await shop.post(BY_CODE, { client_code: member.code, amount: 100 });
  await shop.moveClock('70 days');
  const next = await shop.post(BY_CODE, { client_code: member.code, amount: 7 });
  assert.deepEqual(toldBy(next), { earned: '7', balance: '7' });
});

test('for an address without an account the balance is what waits for it', async () => {
  const shop = await makeShop();
  const buy = () => shop.post(BY_EMAIL, { client_email: 'Nobody.yet@example.com', amount: 12 });
  assert.deepEqual(toldBy(await buy()), { earned: '12', balance: '12' });
  assert.deepEqual(toldBy(await buy()), { earned: '12', balance: '24' });
});

test('purchases at once each answer with the balance right after them', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => shop.post(BY_CODE, { client_code: member.code, amount: 5 })),
  );
  const balances = answers.map((answer) => Number(toldBy(answer).balance)).toSorted((a, b) => a - b);
  assert.deepEqual(
    balances,
    Array.from({ length: 60 }, (_, i) => 5 * (i + 1)),
  );
});

test('a repeated key answers with the points and the balance of the first answer', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const body = { client_code: member.code, amount: 5 };
  const first = await shop.post(BY_CODE, body, key('k'));
  await shop.sell(member, 100);
  assertSame(await shop.post(BY_CODE, body, key('k')), first);
});

test('a repeated external_id returns the first answer and counts once', async () => {
  for (const by of ['code', 'email'] as const) {
    const shop = await makeShop();
    const member = await shop.member();
    const buy = () => purchase(shop, member, by, { external_id: 'order 7/ñ' });
    const first = await buy();
    assert.equal(first.headers.get('idempotency-replayed'), null);
    await shop.sell(member, 100);
    assertSame(await buy(), first);
    assertSame(await buy(), first);
    assert.equal(await purchasesOf(shop), 2);
    const { body } = await shop.get(String(first.headers.get('location')));
    assert.equal((body as { external_id: unknown }).external_id, 'order 7/ñ');
  }
});

test('with another body a known external_id is a 409, and nothing is recorded', async () => {
  const shop = await makeShop();
  const [member, other] = [await shop.member(), await shop.member()];
  const first = { client_code: member.code, amount: 5, counter_id: 1, external_id: 'A' };
  assert.equal((await shop.post(BY_CODE, first)).status, 201);
  for (const change of [{ amount: 6 }, { client_code: other.code }, { counter_id: null }, { id_suc: 2 }])
    assertDuplicate(await shop.post(BY_CODE, { ...first, ...change }));
  assertDuplicate(await shop.post(BY_EMAIL, { client_email: member.email, amount: 5, external_id: 'A' }));
  assert.equal(await purchasesOf(shop), 1);
});

test('a field that is null or unknown does not make another body', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const body = { client_code: member.code, amount: 5, external_id: 'A' };
  const first = await shop.post(BY_CODE, body);
  assertSame(await shop.post(BY_CODE, { ...body, id_suc: null, unknown: 1 }), first);
});

test('without an external_id, equal purchases are two, and null is none', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (const more of [{}, { external_id: null }, { external_id: null }]) {
    const answer = await purchase(shop, member, 'code', more);
    assert.deepEqual([answer.status, answer.headers.get('idempotency-replayed')], [201, null]);
  }
  assert.equal(await purchasesOf(shop), 3);
});

test('an external_id has 1 to 255 printable characters', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  for (const good of ['x', 'é'.repeat(255), '🎉'.repeat(255), '../%2e\'"<b>'])
    assert.equal((await purchase(shop, member, 'code', { external_id: good })).status, 201, good);
  for (const bad of ['', ' ', 'x'.repeat(256), 'a\nb', 'a\u0000', '\ud800', 7, true, ['x']]) {
    for (const by of ['code', 'email'] as const) {
      const { status, body } = await purchase(shop, member, by, { external_id: bad });
      const { detail } = body as { detail: { loc: unknown }[] };
      assert.deepEqual([status, detail[0]?.loc], [422, ['body', 'external_id']], JSON.stringify(bad));
    }
  }
});

test('a refused call leaves its external_id free, and a reversal does not', async () => {
  const shop = await makeShop({ earning: { money_per_point: 1, max_amount: 10 } });
  const member = await shop.member();
  const body = { client_code: member.code, external_id: 'A' };
  assert.equal((await shop.post(BY_CODE, { ...body, amount: 11 })).status, 400);
  assert.equal((await shop.post(BY_CODE, { ...body, amount: 5, client_code: 1 })).status, 404);
  const first = await shop.post(BY_CODE, { ...body, amount: 5 });
  assert.deepEqual([first.status, first.headers.get('idempotency-replayed')], [201, null]);
  assert.equal((await shop.post(`${first.headers.get('location')}/reversal`, {})).status, 201);
  assertSame(await shop.post(BY_CODE, { ...body, amount: 5 }), first);
  assertDuplicate(await shop.post(BY_CODE, { ...body, amount: 6 }));
});

test('each commerce has external ids of its own', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const [member, otherMember] = [await shop.member(), await other.member()];
  await purchase(shop, member, 'code', { external_id: 'A' });
  const answer = await purchase(other, otherMember, 'code', { external_id: 'A' });
  assert.deepEqual([answer.status, answer.headers.get('idempotency-replayed')], [201, null]);
});

test('a key and an external_id: whichever is known decides, and the key is asked first', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const buy = (amount: number, id: string | undefined, idempotencyKey?: string) =>
    shop.post(
      BY_CODE,
      { client_code: member.code, amount, ...(id !== undefined && { external_id: id }) },
      idempotencyKey === undefined ? {} : key(idempotencyKey),
    );
  const first = await buy(5, 'A', 'k1');
  // The same of both, of the id alone, and of the id under a key of its own, which then stands for this request.
  assertSame(await buy(5, 'A', 'k1'), first);
  assertSame(await buy(5, 'A'), first);
  assertSame(await buy(5, 'A', 'k2'), first);
  assertReused(await buy(6, 'B', 'k2'));
  // Another request under the key, whatever its id. The id stays free.
  assertReused(await buy(5, undefined, 'k1'));
  assertReused(await buy(5, 'B', 'k1'));
  assertReused(await buy(6, 'A', 'k1'));
  // A new key with an id of another purchase. The key stays free.
  assertDuplicate(await buy(6, 'A', 'k3'));
  const second = await buy(6, 'B', 'k3');
  assert.deepEqual([second.status, second.headers.get('idempotency-replayed')], [201, null]);
  assert.equal(await purchasesOf(shop), 2);
});

test('a row of a file and a call with one external_id are one purchase, if they say the same', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const member = await shop.member();
  const rows = (...fields: PurchaseFields[]) =>
    importPurchases(
      db,
      shop.id,
      (async function* () {
        for (const [i, one] of fields.entries()) yield { line: i + 2, fields: one };
      })(),
    );
  const row = { client_email: member.email, amount: '5', date: '2021-05-01', external_id: 'A' };
  assert.equal((await rows(row)).imported, 1);
  const called = await shop.post(BY_CODE, { client_code: member.code, amount: 5, external_id: 'A' });
  assert.deepEqual([called.status, called.headers.get('idempotency-replayed')], [201, 'true']);
  // Nobody was told a balance when it was imported.
  assert.deepEqual(toldBy(called), { earned: '5', balance: null });
  assertDuplicate(await shop.post(BY_CODE, { client_code: member.code, amount: 6, external_id: 'A' }));

  await shop.post(BY_CODE, { client_code: member.code, amount: 7, id_suc: 3, external_id: 'B' });
  const again = await rows(
    row,
    { ...row, amount: '7', id_suc: '3', external_id: 'B' },
    { ...row, amount: '7', external_id: 'B' },
  );
  assert.deepEqual([again.imported, again.repeated], [0, 2]);
  assert.deepEqual(again.refused, [
    { line: 4, reason: 'external_id: line 3 has the same id and is another purchase' },
  ]);
  assert.equal(await purchasesOf(shop), 2);
});

const AT_ONCE = 60;
/** `RACE_ROUNDS=200` is a long form. */
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 6);

test(`one external_id sent ${AT_ONCE} times at once to two processes, with and without keys, counts once`, async () => {
  const { db, app } = await service();
  const elsewhere = open(await nameOf(db), 10);
  const other = await buildApp({ db: elsewhere, log: false, secret: SECRET });
  onEnd(async () => {
    await other.close();
    await elsewhere.destroy();
  });
  const shop = await makeShop();
  for (let round = 0; round < ROUNDS; round++) {
    const member = await shop.member();
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) =>
        (i % 2 === 0 ? app : other).inject({
          method: 'POST',
          url: BY_CODE,
          headers: { authorization: `Bearer ${shop.key}`, ...(i % 3 === 0 && key(`${round}-${i % 9}`)) },
          // Every seventh is another purchase under the same id.
          payload: { client_code: member.code, amount: i % 7 === 6 ? 9 : 5, external_id: `order-${round}` },
        }),
      ),
    );
    const recorded = answers.filter(({ statusCode }) => statusCode === 201);
    const refused = answers.filter(({ statusCode }) => statusCode !== 201);
    // Nobody else may wait longer than a moment for the row of the first, so some may be told to try again.
    assert.deepEqual(
      refused.filter(({ statusCode }) => ![409, 422, 503].includes(statusCode)),
      [],
    );
    assert.equal(recorded.filter(({ headers }) => headers['idempotency-replayed'] === undefined).length, 1);
    const said = recorded.map(({ headers, body }) =>
      [
        headers['x-consumption-id'],
        headers['x-points-earned'],
        headers['x-points-balance'],
        headers['location'],
        body,
      ].join(),
    );
    assert.equal(new Set(said).size, 1);
    assert.ok(recorded.length > AT_ONCE / 10, `only ${recorded.length} of ${AT_ONCE} were answered`);
  }
  assert.equal(await purchasesOf(shop), ROUNDS);
});

test('many external ids in one batch are told apart', async () => {
  const shop = await makeShop();
  const members = await Promise.all(Array.from({ length: 20 }, () => shop.member()));
  const send = () =>
    Promise.all(
      members.flatMap((member, i) =>
        ['x', 'y'].map((name) => purchase(shop, member, 'code', { external_id: `${name}${i}` })),
      ),
    );
  const [first, again] = [await send(), await send()];
  for (const [i, answer] of again.entries()) assertSame(answer, first[i]!);
  assert.equal(await purchasesOf(shop), 40);
});

test('ledger verify reports a balance that was not right, and an external id of no purchase', async () => {
  const { db } = await service();
  const shop = await makeShop();
  expectTampering(shop.id);
  const member = await shop.member();
  await purchase(shop, member, 'code', { external_id: 'A' });
  assert.deepEqual((await verifyLedger(db, { commerceIds: [shop.id] })).differences, []);
  await sql`alter table movements disable trigger movements_are_append_only`.execute(db);
  await sql`update movements set balance_after = balance_after + 1 where commerce_id = ${shop.id}`.execute(
    db,
  );
  await sql`alter table movements enable trigger movements_are_append_only`.execute(db);
  await sql`update idempotency_keys set result = 1 where commerce_id = ${shop.id}`.execute(db);
  const { differences } = await verifyLedger(db, { commerceIds: [shop.id] });
  assert.deepEqual(differences.map(({ invariant }) => invariant).toSorted(), [
    'an idempotency key points at what its call made',
    'the balance that a shop was told was right',
  ]);
});

test('the contract’s document shows neither the field nor the headers, and the extensions’ document both', async () => {
  const { app } = await service();
  const [contract, extensions] = await Promise.all(
    ['/openapi.json', '/openapi-extensions.json'].map(async (url) => (await app.inject({ url })).body),
  );
  for (const word of ['X-Points-Earned', 'X-Points-Balance', 'x-extension'])
    assert.ok(!contract!.includes(word), word);
  const { paths } = JSON.parse(contract!) as { paths: Record<string, object> };
  for (const path of [BY_CODE, BY_EMAIL]) assert.ok(!JSON.stringify(paths[path]).includes('external_id'));
  const { info, ...document } = JSON.parse(extensions!) as {
    info: { description: string };
    'x-contract-additions': Record<string, { fields: object; headers: object }>;
  };
  for (const id of ['recordConsumptionByClientCode', 'recordConsumptionByEmail']) {
    const { fields, headers } = document['x-contract-additions'][id]!;
    assert.deepEqual(Object.keys(fields).toSorted(), ['channel', 'external_id', 'lines']);
    assert.ok('X-Points-Earned' in headers && 'X-Points-Balance' in headers);
  }
  assert.match(info.description, /POST \/v1\/consumptions\/email[\s\S]*external_id[\s\S]*X-Points-Balance/);
});

const COFFEE = {
  id: 'coffee',
  type: 'percentage_discount',
  title: 'Coffee',
  description: 'A coffee',
  value: 10,
};

function key(value: string): Record<string, string> {
  return { 'idempotency-key': value };
}

function purchase(shop: Shop, member: MadeMember, by: 'code' | 'email', more: object): Promise<Answer> {
  return by === 'code'
    ? shop.post(BY_CODE, { client_code: member.code, amount: 5, ...more })
    : shop.post(BY_EMAIL, { client_email: member.email, amount: 5, ...more });
}

function toldBy({ status, headers }: Answer) {
  assert.equal(status, 201);
  return { earned: headers.get('x-points-earned'), balance: headers.get('x-points-balance') };
}

const REPEATED = ['x-consumption-id', 'location', 'x-points-earned', 'x-points-balance', 'content-type'];

function assertSame(again: Answer, first: Answer): void {
  assert.deepEqual([again.status, again.text], [first.status, first.text]);
  for (const name of REPEATED) assert.equal(again.headers.get(name), first.headers.get(name), name);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
}

function assertDuplicate(answer: Answer): void {
  assert.equal(answer.status, 409, answer.text);
  assert.match((answer.body as { message: string }).message, /external_id/);
}

function assertReused(answer: Answer): void {
  assert.equal(answer.status, 422, answer.text);
  const { detail } = answer.body as { detail: { loc: unknown }[] };
  assert.deepEqual(detail[0]?.loc, ['header', 'idempotency-key']);
}

async function purchasesOf(shop: Shop): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from movements where commerce_id = ${shop.id} and type = 'purchase'`.execute(
    (await service()).db,
  );
  return rows[0]!.count;
}
