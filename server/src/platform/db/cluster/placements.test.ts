import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabaseUrl } from '#test/database.ts';
import { openDatabase, sql, transaction } from '../database.ts';

/** A database that says these numbers, one after the other, when it is asked for the newest place of a shard. */
async function openMoving(places: number[]) {
  return openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 1,
    preparedStatements: true,
    cluster: 'citus',
    onConnection: (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = ((...args: unknown[]) => {
        const text = typeof args[0] === 'string' ? args[0] : '';
        if (text.startsWith('-- has-citus')) return Promise.resolve({ rows: [{ has: true }] });
        if (text.startsWith('-- read-newest-place'))
          return Promise.resolve({ rows: [{ newest: places.shift() }] });
        return query(...args);
      }) as typeof client.query;
    },
  });
}

test('a transaction during which a shard has moved stores nothing, and is run again', async (t) => {
  const db = await openMoving([7, 8, 8, 8]);
  t.after(() => db.destroy());
  await sql`create temporary table runs (run integer)`.execute(db);
  let run = 0;
  await transaction(db, async (tx) => {
    run += 1;
    await sql`insert into runs values (${run}::integer)`.execute(tx);
  });
  const { rows } = await sql`select run from runs`.execute(db);
  assert.deepEqual(rows, [{ run: 2 }]);
});

test('where shards move all the time, a transaction fails in the end', async (t) => {
  const db = await openMoving(Array.from({ length: 10 }, (_, i) => i));
  t.after(() => db.destroy());
  await assert.rejects(
    transaction(db, (tx) => sql`select 1`.execute(tx)),
    { name: 'Error', message: /a shard of the cluster has moved/ },
  );
});
