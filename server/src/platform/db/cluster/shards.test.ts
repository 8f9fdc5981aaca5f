import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase, testDatabaseUrl } from '#test/database.ts';
import { onOneServer } from '#test/on-cluster.ts';
import { openDatabase } from '../database.ts';
import { hashBigint } from './hash-bigint.ts';
import { readShardMap, shardOf, shardsOf } from './shards.ts';

test('a commerce is on the shard whose hashes include its own', () => {
  const map = [-(2 ** 31), -(2 ** 30), 0, 2 ** 30].map((from) => ({ from, machine: 'a:1' }));
  for (const commerceId of Array.from({ length: 1_000 }, (_, i) => i + 1)) {
    const shard = shardOf(map, commerceId);
    const hash = hashBigint(commerceId);
    assert.ok(map[shard - 1]!.from <= hash && hash < (map[shard]?.from ?? 2 ** 31));
  }
  assert.deepEqual(new Set([1, 2, 3].map((id) => shardOf([], id))).size, 1);
});

test('without the setting there are no shards, and no statement asks for them', async (t) => {
  const statements: unknown[] = [];
  const db = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 1,
    preparedStatements: true,
    onConnection: (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = ((...args: unknown[]) => {
        statements.push(args[0]);
        return query(...args);
      }) as typeof client.query;
    },
  });
  t.after(() => db.destroy());
  assert.equal(shardsOf(db), undefined);
  assert.deepEqual(statements, []);
});

const skip = onOneServer('they are where the map says, which all other tests there use');

test(
  'a cluster’s settings on one server: every commerce is alone until the map is read, and then all are together',
  { skip },
  async (t) => {
    const url = await testDatabaseUrl();
    const db = openDatabase({ url, poolSize: 1, preparedStatements: true, cluster: 'citus' });
    t.after(() => db.destroy());
    const of = shardsOf(db)!;
    assert.notEqual(of(1), of(2));
    assert.deepEqual(await readShardMap(await testDatabase()), []);
    while (of(1) !== of(2)) await new Promise((resolve) => setTimeout(resolve, 5));
  },
);
