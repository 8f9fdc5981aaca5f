import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashBigint } from '#db/cluster/hash-bigint.ts';
import { askSoon } from '#db/cluster/heartbeat.ts';
import { SECRET } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { openCluster, type Answers } from '#test/scripted-cluster.ts';
import { buildApp } from '../../app.ts';

test('calls of shops whose machine does not answer are refused at once, and no others', async (t) => {
  const answers: Answers = { 'a:1': 41, 'b:1': 41 };
  const { db, asked } = await openCluster(t, answers, {
    shards: [
      { from: -(2 ** 31), machine: 'a:1' },
      { from: 0, machine: 'b:1' },
    ],
  });
  const app = await buildApp({ db, log: false, secret: SECRET });
  t.after(() => app.close());
  const [here, there] = [await shopWhere((hash) => hash < 0), await shopWhere((hash) => hash >= 0)];
  const statusesOf = async (shop: Shop) => {
    const calls = [{ authorization: `Bearer ${shop.key}` }, { 'x-commerce-id': String(shop.id) }];
    const [byKey, byAnyone] = await Promise.all([
      app.inject({ url: '/v1/clients/list', headers: calls[0]! }),
      app.inject({ url: '/v1/public/commerce', headers: calls[1]! }),
    ]);
    return [byKey.statusCode, byAnyone.statusCode];
  };
  const until = async (shop: Shop, statuses: number[]) => {
    while (String(await statusesOf(shop)) !== String(statuses)) await sleep(20);
  };
  assert.deepEqual(await statusesOf(here), [200, 200]);
  assert.deepEqual(await statusesOf(there), [200, 200]);

  answers['b:1'] = null;
  askSoon(db);
  await until(there, [503, 503]);
  assert.deepEqual(await statusesOf(here), [200, 200]);
  const questions = asked.length;
  assert.deepEqual(await statusesOf(there), [503, 503]);

  answers['b:1'] = 41;
  await until(there, [200, 200]);
  assert.ok(asked.length > questions, 'it was asked although nobody had a connection');
  assert.deepEqual(await statusesOf(here), [200, 200]);
});

async function shopWhere(isRight: (hash: number) => boolean): Promise<Shop> {
  for (;;) {
    const shop = await makeShop();
    if (isRight(hashBigint(shop.id))) return shop;
  }
}
