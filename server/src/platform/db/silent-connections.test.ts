import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { PATIENT, testDatabase, testDatabaseUrl } from '#test/database.ts';
import { startTcpProxy, type TcpProxy } from '#test/tcp-proxy.ts';
import { openDatabase, sql, transaction, type Database } from './database.ts';
import type { Patience } from './patience.ts';

/** Asks soon, and believes an answer however late it comes. */
const ASKS_SOON: Patience = { ...PATIENT, quietMs: 700 };

async function openBehindProxy(
  t: TestContext,
  patience = ASKS_SOON,
): Promise<{ db: Database; proxy: TcpProxy }> {
  const url = new URL(await testDatabaseUrl());
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  const db = openDatabase({
    url: url.href,
    poolSize: 3,
    preparedStatements: true,
    statementTimeoutMs: 60_000,
    patience,
  });
  t.after(async () => {
    await db.destroy();
    await proxy.close();
  });
  return { db, proxy };
}

test('a slow statement is not taken for a silent connection', async (t) => {
  const { db } = await openBehindProxy(t);
  const { rows } = await sql`select 1 as slow from pg_sleep(2)`.execute(db);
  assert.deepEqual(rows, [{ slow: 1 }]);
});

test('a slow statement goes on if the server has no connection left for the question about it', async (t) => {
  const url = new URL(await testDatabaseUrl());
  const admin = await testDatabase();
  const role = `alone_${process.pid}`;
  await sql`create role ${sql.id(role)} login password 'alone' connection limit 1`.execute(admin);
  [url.username, url.password] = [role, 'alone'];
  const db = openDatabase({
    url: url.href,
    poolSize: 1,
    preparedStatements: true,
    statementTimeoutMs: 60_000,
    patience: ASKS_SOON,
  });
  t.after(async () => {
    await db.destroy();
    await sql`drop role ${sql.id(role)}`.execute(admin);
  });
  const { rows } = await sql`select 1 as slow from pg_sleep(2)`.execute(db);
  assert.deepEqual(rows, [{ slow: 1 }]);
});

test('a commit whose answer is lost is settled, and the next transaction runs', async (t) => {
  const { db, proxy } = await openBehindProxy(t);
  proxy.swallowCommitReplies(1);
  for (let turn = 0; turn < 2; turn++) {
    const { rows } = await transaction(db, (tx) => sql`select 1 as one`.execute(tx));
    assert.deepEqual(rows, [{ one: 1 }]);
  }
  assert.equal(proxy.swallowed(), 1);
});

test('the locks of a silent connection are released on the server', async (t) => {
  const { db, proxy } = await openBehindProxy(t);
  await assert.rejects(
    transaction(db, async (tx) => {
      await sql`select pg_advisory_xact_lock(77)`.execute(tx);
      proxy.silenceOpenConnections();
      await sql`select 1`.execute(tx);
    }),
    /has not answered/,
  );
  await transaction(db, (tx) => sql`select pg_advisory_xact_lock(77)`.execute(tx));
});

test('a database that does not answer at all is given up, and closing it has an end', async (t) => {
  const { db, proxy } = await openBehindProxy(t, { ...ASKS_SOON, probeMs: 700 });
  await sql`select 1`.execute(db);
  proxy.fallSilent();
  await assert.rejects(sql`select 1`.execute(db), /has not answered/);
});
