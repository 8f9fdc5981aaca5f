import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { sql, transaction } from '#db/database.ts';
import { migrate, readMigrationStatus } from '#db/migrate.ts';
import { databaseUrl, emptyDatabase, nameOf } from '#test/database.ts';
import { schemaOf } from '#test/releases/schema-of.ts';
import { ROOT } from '#test/repository.ts';

test('migrations make the schema from nothing, and again change nothing', async (t) => {
  const db = await emptyDatabase(t, 2);
  const applied = await migrate(db);
  assert.ok(applied.length > 0);
  const schema = await schemaOf(db);
  assert.deepEqual(await migrate(db), []);
  assert.deepEqual(await schemaOf(db), schema);
  const status = await readMigrationStatus(db);
  assert.deepEqual(
    status.map(({ name }) => name),
    applied,
  );
  assert.ok(status.every(({ appliedAt }) => appliedAt !== null));
});

test('processes that start at once apply each migration once', async (t) => {
  const db = await emptyDatabase(t, 2);
  const name = await nameOf(db);
  const outputs = await Promise.all(Array.from({ length: 3 }, () => loyalty(['migrate', '--json'], name)));
  assert.deepEqual(
    outputs.map(({ code }) => code),
    [0, 0, 0],
  );
  const { rows } = await sql<{ name: string; times: number }>`
    select name, count(*) as times from schema_migrations group by name`.execute(db);
  assert.deepEqual(
    rows.filter(({ times }) => times !== 1),
    [],
  );
  assert.equal(rows.length, (await readMigrationStatus(db)).length);
});

test('a schema that is newer than the program is refused with a sentence and left as it is', async (t) => {
  const db = await emptyDatabase(t, 2);
  const name = await nameOf(db);
  await migrate(db);
  await sql`insert into schema_migrations (name, timestamp) values ('9999_of_tomorrow', now()::text)`.execute(
    db,
  );
  const before = await schemaOf(db);
  await assert.rejects(migrate(db), /schema is newer than this program/);
  const refused = await loyalty(['migrate'], name);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /newer than this program/);
  assert.deepEqual(await schemaOf(db), before);
});

test('a migration that meets a deadlock or a lock held too long is tried again', async (t) => {
  const db = await emptyDatabase(t, 4);
  await sql`create table schema_migrations (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
    db,
  );
  const holds = Promise.withResolvers<void>();
  const holder = transaction(db, async (tx) => {
    await sql`lock table schema_migrations in share mode`.execute(tx);
    holds.resolve();
    await sql`select pg_sleep(3)`.execute(tx);
  });
  await holds.promise;
  // The lock is waited for two seconds, and held for three.
  assert.equal((await migrate(db))[0], '0001_program_and_ledger');
  await holder;
});

async function loyalty(args: string[], database: string): Promise<{ code: number; stderr: string }> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATABASE_URL: databaseUrl(database) };
  try {
    const { stderr } = await promisify(execFile)(
      process.execPath,
      [`${ROOT}/server/src/cli/loyalty.js`, ...args],
      { env },
    );
    return { code: 0, stderr };
  } catch (error) {
    return error as { code: number; stderr: string };
  }
}
