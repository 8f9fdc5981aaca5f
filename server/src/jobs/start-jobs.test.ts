import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { startJobs } from './start-jobs.ts';

test('jobs run by themselves, in one of several processes at a time, and stop', async () => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true, points_expiration: { mode: 'rolling', months: 1 } });
  const member = await shop.member();
  await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 10 });
  await sql`update commerces set clock_offset = '3 months' where id = ${shop.id}`.execute(db);

  const failures: unknown[] = [];
  const log = { info: () => {}, error: (failure: unknown) => failures.push(failure) };
  const running = Array.from({ length: 3 }, () => startJobs(db, log));
  for (const jobs of running) await jobs.stop();
  const expiries = await count(sql`movements where commerce_id = ${shop.id} and type = 'expiry'`);
  assert.ok(expiries <= 1);

  await sql`delete from jobs`.execute(db);
  const again = startJobs(db, log);
  await waitFor(async () => (await count(sql`jobs where finished_at is not null`)) === 5);
  await again.stop();
  assert.equal(await count(sql`movements where commerce_id = ${shop.id} and type = 'expiry'`), 1);
  assert.equal(await count(sql`jobs where leased_until is not null`), 0);
  assert.deepEqual(failures, []);

  async function count(from: ReturnType<typeof sql>): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*) from ${from}`.execute(db);
    return rows[0]!.count;
  }
});

async function waitFor(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await new Promise((resolve) => setTimeout(resolve, 20));
}
