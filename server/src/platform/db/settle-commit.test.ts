import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PoolClient } from 'pg';
import { PATIENT, testDatabase, testDatabaseUrl } from '#test/database.ts';
import { onOneServer } from '#test/on-cluster.ts';
import { CommitUnknown, openDatabase, sql, transaction } from './database.ts';

const db = await testDatabase();
await sql`create table commits (name text)`.execute(db);

async function stored(name: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from commits where name = ${name}`.execute(
    db,
  );
  return rows[0]!.count;
}

/** Opens a database whose first commit loses its connection, before or after it arrives. */
async function losingCommits(
  when: 'before' | 'after',
  options: { andMore?: (client: PoolClient) => void; settleMs?: number } = {},
) {
  let lost = 0;
  return openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 3,
    preparedStatements: true,
    patience: { ...PATIENT, ...(options.settleMs !== undefined && { settleMs: options.settleMs }) },
    onConnection(client) {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = (async (...args: unknown[]) => {
        if (args[0] !== 'commit' || lost++ > 0) return query(...args);
        if (when === 'after') await query('commit');
        options.andMore?.(client);
        (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
        throw Object.assign(new Error('Connection terminated unexpectedly'), { code: undefined });
      }) as typeof client.query;
    },
  });
}

const insert = (name: string) => (tx: Parameters<Parameters<typeof transaction>[1]>[0]) =>
  sql`insert into commits values (${name})`.execute(tx).then(() => 'done');

test('a commit that happened, but whose answer was lost, is a success', async () => {
  const losing = await losingCommits('after');
  assert.equal(await transaction(losing, insert('after')), 'done');
  assert.equal(await stored('after'), 1);
  await losing.destroy();
});

test(
  'a commit that never arrived is ended and done again, once',
  { skip: onOneServer('it is unknown without the setting: cluster/commit-mark.test.ts') },
  async () => {
    const losing = await losingCommits('before');
    assert.equal(await transaction(losing, insert('before')), 'done');
    assert.equal(await stored('before'), 1);
    await losing.destroy();
  },
);

test('if the database does not answer, the outcome is unknown, and is not called a failure', async () => {
  const losing = await losingCommits('after', {
    settleMs: 300,
    andMore: () => void (losing.pool.options.connectionString = 'postgres://127.0.0.1:1/none'),
  });
  await assert.rejects(transaction(losing, insert('unknown')), CommitUnknown);
  assert.equal(await stored('unknown'), 1);
  await losing.destroy();
});

test('a transaction that only reads is done, whatever became of its commit', async () => {
  const losing = await losingCommits('before', {
    andMore: () => void (losing.pool.options.connectionString = 'postgres://127.0.0.1:1/none'),
  });
  let run = 0;
  const read = () => Promise.resolve((run += 1));
  assert.equal(await transaction(losing, read, { snapshot: true }), 1);
  assert.equal(run, 1);
  await losing.destroy();
});
