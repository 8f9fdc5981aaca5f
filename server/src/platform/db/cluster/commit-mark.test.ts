import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase, testDatabaseUrl, PATIENT } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import { isOnNodes } from '#test/on-cluster.ts';
import { untilOneWaits } from '#test/until-one-waits.ts';
import { CommitUnknown, openDatabase, sql, transaction, type Tx } from '../database.ts';
import { settleCommit, type Begun } from '../settle-commit.ts';
import { deleteOldMarks, leaveMark, newMark, wasCommitted } from './commit-mark.ts';

const db = await testDatabase();
const { id: commerceId } = await makeShop();

/** A transaction of which the coordinator says that it was not committed. */
async function aborted(): Promise<Begun> {
  let begun: Begun | undefined;
  await assert.rejects(
    transaction(db, async (tx) => {
      begun = await readBegun(tx);
      throw new Error('ends it');
    }),
  );
  return begun!;
}

async function readBegun(tx: Tx): Promise<Begun> {
  const { rows } = await sql<Begun>`select pg_current_xact_id()::text as xid, now()::text as at`.execute(tx);
  return rows[0]!;
}

test('a transaction whose rows are stored was committed, whatever the coordinator says', async () => {
  const mark = newMark(commerceId);
  await transaction(db, (tx) => leaveMark(tx, mark));
  assert.equal(await settleCommit(db, await aborted(), 60_000, { mark }), 'committed');
});

test('a transaction whose mark is gone was not committed, and asking stores none', async () => {
  const mark = newMark(commerceId);
  assert.equal(await settleCommit(db, await aborted(), 60_000, { mark }), 'aborted');
  const { rows } = await sql`select from commit_marks where id = ${mark.id}`.execute(db);
  assert.equal(rows.length, 0);
});

test('if the answer to the question is lost, it is asked again and gets the same answer', async (t) => {
  let lost = 0;
  const losing = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 3,
    preparedStatements: true,
    patience: PATIENT,
    onConnection(client) {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = (async (...args: unknown[]) => {
        const answer = await query(...args);
        if (!String(args[0]).startsWith('-- store-commit-mark') || lost++ > 0) return answer;
        (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
        throw new Error('Connection terminated unexpectedly');
      }) as typeof client.query;
    },
  });
  t.after(() => losing.destroy());
  const mark = newMark(commerceId);
  assert.equal(await settleCommit(losing, await aborted(), 60_000, { mark }), 'aborted');
  assert.equal(lost, 2, 'it was asked twice');
});

test('on a cluster, a transaction without a mark that the coordinator takes for aborted is unknown', async () => {
  assert.equal(await settleCommit(db, await aborted(), 60_000, { mark: null }), 'unknown');
});

test('without the setting, one server knows what was aborted, and the coordinator of a cluster does not', async () => {
  assert.equal(await settleCommit(db, await aborted(), 60_000), isOnNodes ? 'unknown' : 'aborted');
});

for (const end of ['commit', 'rollback'] as const)
  test(`a mark that is not decided yet is waited for until its ${end}`, async () => {
    const mark = newMark(commerceId);
    const stored = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const open = transaction(db, async (tx) => {
      await leaveMark(tx, mark);
      stored.resolve();
      await goOn.promise;
      if (end === 'rollback') throw new Error('ends it');
    }).catch(() => {});
    await stored.promise;
    const asked = wasCommitted(db, mark);
    await untilOneWaits(db, { text: 'commit_marks' });
    goOn.resolve();
    await open;
    assert.equal(await asked, end === 'commit');
  });

test('with the setting a lost commit is a success if it happened, and is done again if not', async (t) => {
  for (const [when, xact] of [
    ['after', 1],
    ['before', 1],
  ] as const) {
    let lost = 0;
    const losing = openDatabase({
      url: await testDatabaseUrl(),
      poolSize: 3,
      preparedStatements: true,
      cluster: 'citus',
      patience: PATIENT,
      onConnection(client) {
        const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
        client.query = (async (...args: unknown[]) => {
          if (args[0] !== 'commit' || lost++ > 0) return query(...args);
          if (when === 'after') await query('commit');
          (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
          throw new Error('Connection terminated unexpectedly');
        }) as typeof client.query;
      },
    });
    t.after(() => losing.destroy());
    const word = `lost ${when}`;
    const store = (tx: Tx) =>
      sql`insert into mail_suppressions (mailbox_hash, reason)
          values (sha256(${`${word} ${lost}`}::bytea), 'complaint')`.execute(tx);
    await transaction(losing, store, { writesOf: commerceId });
    assert.equal(lost, when === 'after' ? 1 : 2);
    const { rows } = await sql`
      select from mail_suppressions
       where mailbox_hash in (sha256(${`${word} 0`}::bytea), sha256(${`${word} 1`}::bytea))`.execute(db);
    assert.equal(rows.length, xact);
  }
});

test('with the setting, a commit that never arrived and left no mark is unknown', async (t) => {
  const losing = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 3,
    preparedStatements: true,
    cluster: 'citus',
    patience: PATIENT,
    onConnection(client) {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = (async (...args: unknown[]) => {
        if (args[0] !== 'commit') return query(...args);
        (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
        throw new Error('Connection terminated unexpectedly');
      }) as typeof client.query;
    },
  });
  t.after(() => losing.destroy());
  await assert.rejects(
    transaction(losing, (tx) => sql`select 1`.execute(tx)),
    CommitUnknown,
  );
});

test('marks are deleted after an hour, and only where there is a cluster', async (t) => {
  const mark = newMark(commerceId);
  await sql`insert into commit_marks (commerce_id, id, at)
            values (${commerceId}, ${mark.id}, now() - interval '2 hours')`.execute(db);
  const count = async () =>
    (await sql`select from commit_marks where id = ${mark.id}`.execute(db)).rows.length;
  const cluster = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 1,
    preparedStatements: true,
    cluster: 'citus',
  });
  t.after(() => cluster.destroy());
  await deleteOldMarks(cluster);
  assert.equal(await count(), 0);
});
