import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onConnection, sql, type Database } from '#db/database.ts';
import type { App } from '#http/server.ts';
import { nameOf, onEnd, open, PATIENT } from '#test/database.ts';
import { SECRET, service } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { onOneServer } from '#test/on-cluster.ts';
import { buildApp } from '../../src/app.ts';

/** Runs `work` while another connection holds the row locks of a statement. */
async function whileLocked(lock: ReturnType<typeof sql>, work: () => Promise<void>): Promise<void> {
  const { db } = await service();
  await onConnection(db, async (connection) => {
    await sql`begin`.execute(connection);
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(connection);
    await lock.execute(connection);
    try {
      await work();
    } finally {
      await sql`rollback`.execute(connection);
    }
  });
}

test('while somebody else holds a member’s row, only that member’s purchases and exchanges wait', async () => {
  const shop = await makeShop({ benefits: [benefit('tea', { cost: 1 })] });
  const other = await makeShop();
  const [locked, free, elsewhere] = await Promise.all([shop.member(), shop.member(), other.member()]);
  await shop.sell(locked, 100);
  await shop.sell(free, 100);
  const buy = (at: typeof shop, member: typeof free) =>
    at.post('/v1/consumptions/client-code', { client_code: member.code, amount: 10 });
  const [lockedPage, freePage] = [await shop.browser(locked), await shop.browser(free)];
  let waited: Promise<{ status: number }>[] = [];

  const row = sql`select from members where commerce_id = ${shop.id} and id = ${locked.memberId} for update`;
  await whileLocked(row, async () => {
    let isOver = false;
    waited = Array.from({ length: 10 }, () => buy(shop, locked));
    waited.push(
      lockedPage.post('/v1/me/benefits/exchange', { benefit_id: 'tea' }, { 'idempotency-key': 'a' }),
    );
    void Promise.race(waited).then(() => (isOver = true));
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => buy(shop, free)),
      ...Array.from({ length: 20 }, () => buy(other, elsewhere)),
      freePage.post('/v1/me/benefits/exchange', { benefit_id: 'tea' }, { 'idempotency-key': 'b' }),
    ]);
    assert.deepEqual(
      answers.filter(({ status }) => status !== 201 && status !== 200),
      [],
    );
    assert.equal(isOver, false, 'the locked member still waits');
  });
  const statuses = (await Promise.all(waited)).map(({ status }) => status);
  assert.ok(
    statuses.every((status) => status === 201 || status === 200 || status === 503),
    String(statuses),
  );
  const again = await buy(shop, locked);
  assert.equal(again.status, 201);
});

test('while somebody else holds a benefit’s row, other benefits are sold', async () => {
  const shop = await makeShop({ benefits: [benefit('tea', { cost: 1 }), benefit('mug', { cost: 1 })] });
  const members = await Promise.all([shop.member(), shop.member()]);
  for (const member of members) await shop.sell(member, 100);
  const [first, second] = await Promise.all(members.map((member) => shop.browser(member)));
  let key = 0;
  const buy = (page: typeof first, id: string) =>
    page!.post('/v1/me/benefits/exchange', { benefit_id: id }, { 'idempotency-key': `k${key++}` });
  let waited: ReturnType<typeof buy> | undefined;
  const row = sql`select from benefits where commerce_id = ${shop.id} and id = 'tea' for update`;
  await whileLocked(row, async () => {
    waited = buy(first, 'tea');
    for (let round = 0; round < 5; round++) assert.equal((await buy(second, 'mug')).status, 200);
  });
  assert.ok([200, 503].includes((await waited!).status));
});

test('a purchase waits for a member who is free again after a while, and is recorded once', async () => {
  const shop = await makeShop();
  const { db } = await service();
  const locked = await shop.member();
  let waited: ReturnType<typeof shop.post> | undefined;
  const row = sql`select from members where commerce_id = ${shop.id} and id = ${locked.memberId} for update`;
  await whileLocked(row, async () => {
    waited = shop.post('/v1/consumptions/client-code', { client_code: locked.code, amount: 10 });
    // Longer than one run of its batch waits for the row.
    await new Promise((resolve) => setTimeout(resolve, 500));
  });
  assert.equal((await waited!).status, 201);
  assert.equal(await countMovements(db, shop), 1);
});

const withLimits = {
  skip: onOneServer('the machines wait as long as the role says, and pooler.test.ts shows that it is told'),
};

test(
  'a key that is in use elsewhere holds up only its own call, and is a conflict if it stays in use',
  withLimits,
  async () => {
    const shop = await makeShop();
    const { db } = await service();
    const member = await shop.member();
    const body = { client_code: member.code, amount: 10 };
    const buy = (headers = {}) => shop.post('/v1/consumptions/client-code', body, headers);
    const impatient = await impatientService();
    const claim = sql`
    insert into idempotency_keys (commerce_id, operation, key, fingerprint)
    values (${shop.id}, 'purchase', 'twin', '\\x00')`;
    let twin: ReturnType<typeof buy> | undefined;
    await whileLocked(claim, async () => {
      twin = buy({ 'idempotency-key': 'twin' });
      let twinIsOver = false;
      void twin.then(() => (twinIsOver = true));
      const answers = await Promise.all(Array.from({ length: 50 }, () => buy()));
      assert.ok(answers.every(({ status }) => status === 201));
      assert.equal(twinIsOver, false);
      const { statusCode } = await impatient.inject({
        method: 'POST',
        url: '/v1/consumptions/client-code',
        headers: { authorization: `Bearer ${shop.key}`, 'idempotency-key': 'twin' },
        payload: body,
      });
      assert.equal(statusCode, 409);
    });
    // The caller that used the key elsewhere has given up.
    assert.equal((await twin!).status, 201);
    assert.equal(await countMovements(db, shop), 51);
  },
);

/** The service, which soon stops waiting for locks. */
async function impatientService(): Promise<App> {
  const { db } = await service();
  const impatient = open(await nameOf(db), 10, {
    ...PATIENT,
    lockMs: 200,
    repeatMs: 200,
  });
  const app = await buildApp({ db: impatient, log: false, secret: SECRET });
  onEnd(async () => {
    await app.close();
    await impatient.destroy();
  });
  return app;
}

async function countMovements(db: Database, shop: Shop): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from movements where commerce_id = ${shop.id}`.execute(db);
  return rows[0]!.count;
}
