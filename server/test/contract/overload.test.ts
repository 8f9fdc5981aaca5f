/**
 * More calls arrive than the service can serve. Refused calls are told when to retry, accepted calls are in the books,
 * and afterwards everything works as before.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onConnection, openDatabase, sql, type Database } from '#db/database.ts';
import { PATIENCE, type Patience } from '#db/patience.ts';
import { cluster, PATIENT, testDatabaseUrl } from '#test/database.ts';
import { SECRET, service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { buildApp } from '../../src/app.ts';

const CONNECTIONS = 2;

test(
  'without a free connection, calls of every kind are told to come back, not one after the other',
  { timeout: 120_000 },
  async () => {
    const { app, db, close } = await smallService(PATIENCE);
    const shop = await makeShop({ benefits: [benefit('coffee', { cost: 1 })] });
    const member = await shop.member();
    await shop.sell(member, 1_000);
    const { token } = await shop.browser(member);
    const byKey = { authorization: `Bearer ${shop.key}` };
    const byToken = { authorization: `Bearer ${token}`, 'x-commerce-id': String(shop.id) };
    const buy = { client_code: member.code, amount: 5 };
    const calls = [
      { method: 'POST', url: '/v1/consumptions/client-code', headers: byKey, payload: buy },
      { method: 'GET', url: `/v1/clients/${member.code}`, headers: byKey },
      { method: 'GET', url: '/v1/clients/list', headers: byKey },
      { method: 'GET', url: '/v1/me/activity', headers: byToken },
      {
        method: 'POST',
        url: '/v1/me/benefits/exchange',
        headers: byToken,
        payload: { benefit_id: 'coffee' },
      },
    ] as const;
    const callEach = async () => {
      for (const call of calls) assert.match(String((await app.inject(call)).statusCode), /^2/, call.url);
    };
    try {
      await callEach();
      const letGo = await holdAll(db);
      const answers = await Promise.all(
        calls.flatMap((call) => Array.from({ length: 40 }, () => app.inject(call))),
      );
      await letGo();
      for (const { statusCode, headers, body } of answers) {
        assert.deepEqual([statusCode, headers['retry-after']], [503, '1'], body);
      }
      await callEach();
    } finally {
      await close();
    }
  },
);

test('if more purchases arrive than can wait, the accepted ones are in the books, and the next is recorded at once', async () => {
  const { app, db, close } = await smallService(PATIENT);
  const shop = await makeShop();
  const member = await shop.member();
  const buy = () =>
    app.inject({
      method: 'POST',
      url: '/v1/consumptions/client-code',
      headers: { authorization: `Bearer ${shop.key}` },
      payload: { client_code: member.code, amount: 5 },
    });
  try {
    assert.equal((await buy()).statusCode, 201);
    const letGo = await holdAll(db);
    const sent = Array.from({ length: 4_000 }, buy);
    await Promise.race(sent);
    await letGo();
    const answers = await Promise.all(sent);

    const recorded = answers.filter(({ statusCode }) => statusCode === 201).length;
    const refused = answers.filter(({ statusCode }) => statusCode === 503);
    assert.equal(recorded + refused.length, answers.length);
    assert.ok(refused.length > 0 && recorded > 0, `${recorded} recorded, ${refused.length} refused`);
    assert.ok(refused.every(({ headers }) => headers['retry-after'] === '1'));
    assert.equal((await buy()).statusCode, 201);
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from movements where commerce_id = ${shop.id}`.execute(db);
    assert.equal(rows[0]!.n, recorded + 2);
  } finally {
    await close();
  }
});

/** Starts the service on the tests' database with a small pool. */
async function smallService(patience: Patience) {
  await service();
  const url = await testDatabaseUrl();
  const db = openDatabase({ url, poolSize: CONNECTIONS, preparedStatements: true, cluster, patience });
  const app = await buildApp({ db, log: false, secret: SECRET });
  return {
    app,
    db,
    close: async () => {
      await app.close();
      await db.destroy();
    },
  };
}

/** Takes every connection of a pool and returns a function that releases them. */
async function holdAll(db: Database): Promise<() => Promise<void>> {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const taken: Promise<void>[] = [];
  const kept = Array.from({ length: CONNECTIONS }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    taken.push(promise);
    return onConnection(db, async () => {
      resolve();
      await held;
    });
  });
  await Promise.all(taken);
  return async () => {
    letGo();
    await Promise.all(kept);
  };
}
