import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabaseUrl } from '#test/database.ts';
import { openDatabase, sql, transaction } from '../database.ts';

/**
 * A database that says these numbers, one after the other, when it is asked for the newest place of a shard.
 * @param citus what it says when it is asked whether it is a coordinator
 */
async function openMoving(places: number[], citus = () => true) {
  return openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 1,
    preparedStatements: true,
    cluster: 'citus',
    onConnection: (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = ((...args: unknown[]) => {
        const text = typeof args[0] === 'string' ? args[0] : '';
        if (text.startsWith('-- has-citus')) return Promise.resolve({ rows: [{ has: citus() }] });
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

test('a server that becomes a coordinator is noticed, and neither is asked about by each transaction', async (t) => {
  let later = 0;
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() + later);
  let has = false;
  let asked = 0;
  const places = [7, 8, 8, 8];
  const db = await openMoving(places, () => {
    asked += 1;
    return has;
  });
  t.after(() => db.destroy());
  const run = () => transaction(db, (tx) => sql`select 1`.execute(tx));
  await run();
  // What the process asks now and then, besides.
  const before = asked;
  await run();
  assert.deepEqual([asked, places.length], [before, 4]);
  has = true;
  later += 6_000;
  await run();
  assert.equal(places.length, 0, 'the shard had moved, so it ran twice');
});
