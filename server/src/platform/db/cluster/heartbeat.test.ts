import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { testDatabaseUrl } from '#test/database.ts';
import { isOnNodes } from '#test/on-cluster.ts';
import { isDatabaseAway } from '../database-errors.ts';
import { openDatabase, sql, type Database } from '../database.ts';
import { explainUnreachable } from '../explain-unreachable.ts';
import { lastHeard, MachineBehind } from './heartbeat.ts';

const onlyOnNodes = !isOnNodes && 'needs three nodes';

/** What each machine answers when it is asked for its number; null if it does not. */
type Answers = Record<string, number | null>;

/** A coordinator whose machines say these numbers, and the statements that it was sent. */
async function openCluster(t: TestContext, answers: Answers, options: { trustsMachines?: boolean } = {}) {
  const asked: string[] = [];
  const db = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 2,
    preparedStatements: true,
    cluster: 'citus',
    ...options,
    onConnection: (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = ((...args: unknown[]) => {
        const name = /^-- ([\w-]+)/.exec(String(args[0]))?.[1];
        if (name === 'has-citus') return Promise.resolve({ rows: [{ has: true }] });
        if (name === 'read-newest-place') return Promise.resolve({ rows: [{ newest: 1 }] });
        if (name !== 'read-heartbeats' && name !== 'heartbeat') return query(...args);
        asked.push(name);
        return Promise.resolve({
          rows: Object.entries(answers).map(([machine, beat]) => ({ machine, beat })),
        });
      }) as typeof client.query;
    },
  });
  t.after(() => db.destroy());
  return { db, asked };
}

const select = (db: Database) => sql`select 1`.execute(db);

test('while all machines count alike, or one beat apart, statements run and the count goes on', async (t) => {
  const { db, asked } = await openCluster(t, { 'a:1': 41, 'b:1': 40, 'c:1': 41 });
  await select(db);
  await select(db);
  assert.deepEqual(asked, ['read-heartbeats', 'heartbeat'], 'asked once, not by each statement');
});

test('nothing runs while a machine has an older state, and everything does once it has been restored to the same', async (t) => {
  const answers: Answers = { 'a:1': 41, 'b:1': 12 };
  const { db, asked } = await openCluster(t, answers);
  const refused = await select(db).then(
    () => assert.fail('it ran'),
    (error: unknown) => error as Error,
  );
  assert.ok(isDatabaseAway(refused), 'a call gets 503');
  assert.ok(refused.cause instanceof MachineBehind);
  assert.match(refused.message, /^b:1 of the cluster has an older state/);
  const explained = explainUnreachable(refused, { name: 'DATABASE_URL', url: 'postgres://a' }) as Error;
  assert.match(explained.message, /^The database cannot be used: b:1 /);
  assert.ok(!asked.includes('heartbeat'), 'the others do not go on counting');
  answers['b:1'] = 41;
  for (;;) {
    const ran = await select(db).then(
      () => true,
      () => false,
    );
    if (ran) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test('a machine that does not answer stops nobody, and is asked again soon', async (t) => {
  const answers: Answers = { 'a:1': 41, 'b:1': null };
  const { db, asked } = await openCluster(t, answers);
  await select(db);
  answers['b:1'] = 12;
  await assert.rejects(async () => {
    for (;;) {
      await select(db);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }, /b:1 of the cluster has an older state/);
  assert.deepEqual([...new Set(asked)], ['read-heartbeats']);
});

test('the machines of a real cluster begin to count', { skip: onlyOnNodes }, async (t) => {
  const db = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 2,
    preparedStatements: true,
    cluster: 'citus',
  });
  t.after(() => db.destroy());
  await select(db);
  for (let beats: string[] = []; beats.length === 0 || beats.includes('');) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { rows } = await sql<{ said: string }>`
      select result as said from run_command_on_all_nodes('select beat from cluster_heartbeat')`.execute(db);
    beats = rows.map(({ said }) => said);
  }
  assert.deepEqual([lastHeard(db).silent, lastHeard(db).behind], [0, []]);
});

test('who looks at the machines is not stopped', async (t) => {
  const { db, asked } = await openCluster(t, { 'a:1': 41, 'b:1': 12 }, { trustsMachines: true });
  await select(db);
  assert.deepEqual(asked, []);
});
