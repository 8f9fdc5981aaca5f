import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '#db/database.ts';
import { testDatabase, testDatabaseUrl } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import { childrenOf, isAlive, startSeveral, until, type Several } from '#test/processes/several.ts';

const KILLS = 100;
const CALLERS = 8;
/** Every so many kills, the supervisor is the victim. */
const OF_SUPERVISOR = 10;

test(`${KILLS} kills of processes and of their supervisor lose no acknowledged purchase and record none twice`, async (t) => {
  const database = await testDatabaseUrl();
  const start = () => startSeveral(database, 2, { RATE_LIMITS: 'off', LOG_LEVEL: 'info', ACCESS_LOG: 'off' });
  let service: Several = await start();
  const shop = await makeShop();
  const member = await shop.member();
  const over = new AbortController();
  let acknowledged = 0;
  let repeated = 0;

  /** Makes one purchase after the other. Each is repeated under its key until it is acknowledged. */
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let purchase = 0; !over.signal.aborted; purchase += 1) {
      for (let tries = 1; !(await buy(`${caller}-${purchase}`)); tries += 1) {
        if (tries > 1) await sleep(20);
        repeated += 1;
      }
      acknowledged += 1;
    }
  });
  async function buy(key: string): Promise<boolean> {
    const answer = await fetch(`${service.base}/v1/consumptions/client-code`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${shop.key}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ client_code: member.code, amount: 1 }),
    }).catch(() => null);
    await answer?.text().catch(() => {});
    return answer?.status === 201;
  }

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const before = acknowledged;
    if (kill % OF_SUPERVISOR === 0) {
      const orphans = childrenOf(service);
      service.supervisor.kill('SIGKILL');
      await until(() => !orphans.some(isAlive));
      service = await start();
    } else {
      const children = childrenOf(service);
      const victim = children[kill % children.length]!;
      process.kill(victim, 'SIGKILL');
      await until(() => !isAlive(victim));
      await until(() => childrenOf(service).length === 2);
    }
    // Somebody has been served since.
    await until(() => acknowledged > before + CALLERS);
  }
  over.abort();
  await Promise.all(callers);
  const { rows } = await sql<{ purchases: number }>`
    select count(*) as purchases from movements where commerce_id = ${shop.id} and type = 'purchase'`.execute(
    await testDatabase(),
  );
  t.diagnostic(`${acknowledged} purchases, ${repeated} repeats`);
  assert.equal(rows[0]!.purchases, acknowledged);
  service.supervisor.kill('SIGTERM');
  assert.equal(await service.ended, 0);
});
