import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '#db/database.ts';
import { startEmbedded } from '#db/embedded/embedded.ts';
import { startLoyalty } from '#test/command.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { makeDataDir, postgresOf, removeDataDir } from '#test/start.ts';

test('a worker runs due jobs when it starts and exits cleanly on SIGTERM', async () => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true, points_expiration: { mode: 'rolling', months: 1 } });
  await shop.sell(await shop.member(), 30);
  await shop.moveClock('2 months');

  const worker = await startLoyalty(['worker']);
  const exit = once(worker, 'exit');
  const expired = async () =>
    (await sql`select from movements where commerce_id = ${shop.id} and type = 'expiry'`.execute(db)).rows
      .length;
  while (worker.exitCode === null && (await expired()) === 0) await sleep(20);
  assert.equal(await expired(), 1);
  worker.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
});

test('a worker with the embedded database exits cleanly too and stops the database', async (t) => {
  const dataDir = await makeDataDir();
  t.after(() => removeDataDir(dataDir));
  await (await startEmbedded({ dataDir, log() {} })).stop();
  const worker = await startLoyalty(['worker'], { DATABASE_URL: undefined, DATA_DIR: dataDir });
  worker.stderr.resume();
  const exit = once(worker, 'exit');
  for await (const line of createInterface({ input: worker.stdout })) {
    if (line.includes('worker started')) worker.kill('SIGTERM');
  }
  assert.deepEqual(await exit, [0, null]);
  assert.equal(await postgresOf(dataDir), null);
});
