import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabaseUrl } from '#test/database.ts';
import { isOnNodes } from '#test/on-cluster.ts';
import { openCluster, type Answers } from '#test/scripted-cluster.ts';
import { isDatabaseAway } from '../database-errors.ts';
import { openDatabase, sql, type Database } from '../database.ts';
import { ConnectionSilent } from '../silent-connections.ts';
import { explainUnreachable } from '../explain-unreachable.ts';
import { askBeforeNext, lastHeard, MachineBehind } from './heartbeat.ts';

const onlyOnNodes = !isOnNodes && 'needs three nodes';

const select = (db: Database) => sql`select 1`.execute(db);

test('while all machines count alike, or one beat apart, statements run and the count goes on', async (t) => {
  const { db, asked } = await openCluster(t, { 'a:1': 41, 'b:1': 40, 'c:1': 41 });
  await select(db);
  await select(db);
  while (asked.length < 2) await sleep(5);
  assert.deepEqual(asked, ['ask-machines', 'heartbeat'], 'asked once, not by each statement');
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
    await sleep(20);
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
      await sleep(20);
    }
  }, /b:1 of the cluster has an older state/);
  assert.deepEqual([...new Set(asked)], ['ask-machines']);
});

/** What PostgreSQL says if a machine has not answered in time. */
const CANCELLED = Object.assign(new Error('canceling statement due to statement timeout'), {
  severity: 'ERROR',
  code: '57014',
});

test('a machine that falls silent while it is asked stops nobody, not even during the next question', async (t) => {
  const end = Promise.withResolvers<void>();
  const { db, asked } = await openCluster(
    t,
    { 'a:1': 41, 'b:1': 41 },
    { until: (question) => (question === 1 ? Promise.reject(CANCELLED) : end.promise) },
  );
  const dropped: unknown[] = [];
  db.pool.on('release', (isUseless) => dropped.push(isUseless));
  await select(db);
  assert.deepEqual(dropped, [true, false], 'the session that asked may hang');
  assert.equal(lastHeard(db).silent.length, 1);
  while (asked.length < 2) {
    await sleep(20);
    await select(db);
  }
  await select(db);
  end.resolve();
  while (lastHeard(db).silent.length > 0) await sleep(5);
});

test('nothing runs if the coordinator is lost while it is asked, until it has been asked again', async (t) => {
  const { db, asked } = await openCluster(
    t,
    { 'a:1': 41, 'b:1': 41 },
    {
      until: (question) =>
        question === 1 ? Promise.reject(new Error('Connection terminated unexpectedly')) : Promise.resolve(),
    },
  );
  const refused = await select(db).then(
    () => assert.fail('it ran'),
    (error: unknown) => error,
  );
  assert.ok(isDatabaseAway(refused), 'a call gets 503');
  assert.equal(asked.length, 1);
  await select(db);
  assert.equal(asked[1], 'ask-machines');
});

test('an answer from before the coordinator was lost does not count', async (t) => {
  const answers: Answers = { 'a:1': 41, 'b:1': 41 };
  const { db, asked } = await openCluster(t, answers, {
    until: async (question) => {
      if (question > 1) answers['b:1'] = 12;
      else askBeforeNext(db);
    },
  });
  await assert.rejects(select(db), /b:1 of the cluster has an older state/);
  assert.deepEqual(asked, ['ask-machines', 'ask-machines']);
});

test('the coordinator is not lost while it works on a statement for which nobody waits any longer', async (t) => {
  const { db, asked } = await openCluster(t, { 'a:1': 41, 'b:1': 41 });
  const questions = () => asked.filter((name) => name === 'ask-machines').length;
  await select(db);
  db.pool.emit('error', new ConnectionSilent(5_500, true));
  await select(db);
  assert.equal(questions(), 1);
  db.pool.emit('error', new ConnectionSilent(2_000, false));
  await select(db);
  assert.equal(questions(), 2);
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
    await sleep(50);
    const { rows } = await sql<{ said: string }>`
      select result as said from run_command_on_all_nodes('select beat from cluster_heartbeat')`.execute(db);
    beats = rows.map(({ said }) => said);
  }
  assert.deepEqual([lastHeard(db).silent, lastHeard(db).behind], [[], []]);
});

test('who looks at the machines is not stopped', async (t) => {
  const { db, asked } = await openCluster(t, { 'a:1': 41, 'b:1': 12 }, { trustsMachines: true });
  await select(db);
  assert.deepEqual(asked, []);
});
