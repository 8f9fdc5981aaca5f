import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase, sql, transaction } from '#db/database.ts';
import { migrate } from '#db/migrate.ts';
import { emptyDatabaseOnNodes, testDatabaseUrl } from '#test/database.ts';
import { isOnNodes } from '#test/on-cluster.ts';
import { distribute, distributeNewTables, planDistribution } from './distribute.ts';
import { readUnready } from './read-cluster.ts';

const NEEDS_NODES = { skip: isOnNodes ? false : 'needs several servers: CITUS_BIN starts them' };

test('a role that owns the tables and nothing else distributes them', NEEDS_NODES, async (t) => {
  const db = await emptyDatabaseOnNodes(t);
  const { rows } = await sql<{ isSuper: boolean }>`
    select rolsuper as "isSuper" from pg_roles where rolname = current_user`.execute(db);
  assert.deepEqual(rows, [{ isSuper: false }]);
  await migrate(db);
  assert.equal((await planDistribution(db)).shards, 16);
  const plan = await planDistribution(db, 4);
  assert.ok(plan.steps.length > 50, `${plan.steps.length} tables`);
  await distribute(db, plan);
  const { steps, shards } = await planDistribution(db);
  assert.deepEqual([steps, shards], [[], 4], 'without a number it keeps the present one');
  await assert.rejects(planDistribution(db, 8), /have 4 shards already/);
  const { rows: answers } = await sql<{ success: boolean; result: string }>`
    select success, result
      from run_command_on_workers('select nextval(''movements_id_seq'') is not null')`.execute(db);
  const has = { success: true, result: 't' };
  assert.deepEqual(answers, [has, has]);
});

test('machines that are not ready are named, each with what is wrong there', async (t) => {
  const answers = [
    { machine: 'a:1', said: '200', failure: null },
    { machine: 'b:1', said: '0', failure: null },
    { machine: 'c:1', said: null, failure: 'failed to connect to c:1' },
  ];
  const db = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 1,
    preparedStatements: true,
    cluster: 'citus',
    trustsMachines: true,
    onConnection: (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = ((...args: unknown[]) =>
        String(args[0]).startsWith('-- ask-machines')
          ? Promise.resolve({ rows: answers })
          : query(...args)) as typeof client.query;
    },
  });
  t.after(() => db.destroy());
  assert.deepEqual(await readUnready(db), [
    'b:1 has max_prepared_transactions = 0',
    'c:1: failed to connect to c:1',
  ]);
});

test(
  'a new table waits for those who write the tables that it refers to, and for nobody else',
  NEEDS_NODES,
  async (t) => {
    const db = await emptyDatabaseOnNodes(t);
    await migrate(db);
    await distribute(db, await planDistribution(db, 4));
    const text = await readFile(
      new URL('../../platform/db/migrations/0070_commit_marks.sql', import.meta.url),
      'utf8',
    );
    await sql`drop table commit_marks`.execute(db);
    await sql.raw(text).execute(db);
    const order: string[] = [];
    let placed: Promise<unknown> = Promise.resolve();
    await transaction(
      db,
      async (writer) => {
        await sql`lock table members in row exclusive mode`.execute(writer);
        assert.deepEqual(await distributeNewTables(db), ['commit_marks']);
      },
      { placesShards: true },
    );
    assert.deepEqual(await distributeNewTables(db), []);

    await sql`drop table commit_marks`.execute(db);
    await sql.raw(text).execute(db);
    await transaction(
      db,
      async (writer) => {
        await sql`lock table commerces in row exclusive mode`.execute(writer);
        placed = distributeNewTables(db).then(() => order.push('placed'));
        await wait(1_000);
        order.push('written');
      },
      { placesShards: true },
    );
    await placed;
    assert.deepEqual(order, ['written', 'placed']);
    assert.deepEqual((await planDistribution(db, 4)).steps, []);
  },
);
