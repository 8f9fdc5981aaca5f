import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction, type Tx } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { withoutSetting } from '#test/on-cluster.ts';
import { runOncePerKey } from './idempotency.ts';

const { db } = await service();

const ONE_SERVER = { skip: withoutSetting('a transaction has begun before its first statement is sent') };

test(
  'a key is claimed in a transaction only, so its claim may be sent together with begin',
  ONE_SERVER,
  async () => {
    const shop = await makeShop();
    const call = {
      commerceId: shop.id,
      operation: 'test',
      key: 'k',
      fingerprint: Buffer.from('f'),
      result: 7,
    };
    const worked: number[][] = [];
    const runIn = (tx: Tx) =>
      runOncePerKey(tx, [call], async (places) => {
        worked.push(places);
        return places.map(() => ({ outcome: 'done', result: 7 }));
      });

    await assert.rejects(runIn(db as unknown as Tx), /neither claimed nor found/);
    const { rows } = await sql`select from idempotency_keys where commerce_id = ${shop.id}`.execute(db);
    assert.equal(rows.length, 0);

    const first = await transaction(db, runIn, { startsWithBegin: true });
    assert.deepEqual(first, [{ kind: 'made', outcome: 'done' }]);
    assert.deepEqual(await transaction(db, runIn, { startsWithBegin: true }), [
      { kind: 'repeat', result: 7 },
    ]);
    assert.deepEqual(worked, [[0]]);
  },
);
