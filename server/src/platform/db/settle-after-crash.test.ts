import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENT } from '#test/database.ts';
import { startScratchServer } from '#test/postgres.ts';
import { CommitUnknown, openDatabase, sql, transaction, type Database, type Tx } from './database.ts';
import { settleCommit } from './settle-commit.ts';

const server = await startScratchServer();
const other = open();
await sql`create table commits (name text)`.execute(other);
// The end of the log then stays in memory until a commit writes it.
await sql`alter system set wal_writer_delay = '10s'`.execute(other);
await sql`select pg_reload_conf()`.execute(other);

after(async () => {
  await other.destroy();
  await server.stop();
});

beforeEach(async () => void (await sql`delete from commits`.execute(other)));

function open(options: { onCommit?: (commit: () => Promise<unknown>) => Promise<unknown> } = {}): Database {
  const { onCommit } = options;
  return openDatabase({
    url: server.adminUrl,
    poolSize: 2,
    preparedStatements: true,
    patience: PATIENT,
    onConnection(client) {
      if (onCommit === undefined) return;
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = ((...args: unknown[]) =>
        args[0] === 'commit' ? onCommit(() => query('commit')) : query(...args)) as typeof client.query;
    },
  });
}

const insert = (name: string) => async (tx: Tx) => {
  const { rows } = await sql<{ pid: number }>`
    insert into commits values (${name}) returning pg_backend_pid() as pid`.execute(tx);
  return rows[0]!.pid;
};

/** PostgreSQL stops all its processes if one of them is killed, and recovers. */
async function crash(): Promise<void> {
  const { rows } = await sql<{ pid: number; at: string }>`
    select pg_backend_pid() as pid, clock_timestamp()::text as at`.execute(other);
  const { pid, at } = rows[0]!;
  process.kill(pid, 'SIGKILL');
  // Until the server has noticed, it takes new connections and commits.
  while (!(await hasRecovered(at))) await sleep(10);
}

async function hasRecovered(since: string): Promise<boolean> {
  try {
    const { rows } = await sql<{ hasRecovered: boolean }>`
      select pg_stat_get_bgwriter_stat_reset_time() > ${since}::timestamptz as "hasRecovered"`.execute(other);
    return rows[0]!.hasRecovered;
  } catch {
    return false;
  }
}

/** Commits as soon as the server is there again, before anybody asks what became of other commits. */
async function commitOthers(): Promise<void> {
  for (let others = 0; others < 3;) {
    try {
      await transaction(other, insert('other'));
      others += 1;
    } catch {
      await sleep(20);
    }
  }
}

async function namesStored(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select distinct name from commits order by name`.execute(
    other,
  );
  return rows.map(({ name }) => name);
}

test('a commit that a crash has lost is not taken for a later one that got its id', async () => {
  let isFirst = true;
  const losing = open({
    async onCommit(commit) {
      if (!isFirst) return commit();
      isFirst = false;
      await crash();
      await commitOthers();
      throw new Error('Connection terminated unexpectedly');
    },
  });
  await assert.rejects(transaction(losing, insert('mine')), CommitUnknown);
  assert.deepEqual(await namesStored(), ['other']);
  await losing.destroy();
});

test('a commit that was written before a crash is a success', async () => {
  const losing = open({
    async onCommit(commit) {
      await commit();
      await crash();
      await commitOthers();
      throw new Error('Connection terminated unexpectedly');
    },
  });
  await transaction(losing, insert('mine'));
  assert.deepEqual(await namesStored(), ['mine', 'other']);
  await losing.destroy();
});

test('an id that the server has not handed out yet belongs to a commit that is lost', async () => {
  const { rows } = await sql<{ xid: string; at: string }>`
    select (pg_current_xact_id()::text::bigint + 1000)::text as xid, now()::text as at`.execute(other);
  assert.equal(await settleCommit(other, rows[0]!, 60_000), 'aborted');
});
