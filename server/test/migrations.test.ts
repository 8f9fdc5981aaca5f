import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { sql, type Database } from '#db/database.ts';
import { migrate, readMigrationStatus } from '#db/migrate.ts';
import { databaseUrl, open } from '#test/database.ts';
import { ROOT } from '#test/repository.ts';

test('migrations make the schema from nothing, and again change nothing', async (t) => {
  const { db } = await emptyDatabase(t);
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
  const { db, name } = await emptyDatabase(t);
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
  const { db, name } = await emptyDatabase(t);
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

async function emptyDatabase(t: TestContext): Promise<{ db: Database; name: string }> {
  const name = `empty_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const admin = open('postgres', 1);
  await sql`create database ${sql.id(name)}`.execute(admin);
  const db = open(name, 2);
  t.after(async () => {
    await db.destroy();
    await sql`drop database ${sql.id(name)} with (force)`.execute(admin);
    await admin.destroy();
  });
  return { db, name };
}

/** Columns, indexes and constraints as the database writes them. */
async function schemaOf(db: Database): Promise<unknown[]> {
  const { rows } = await sql`
    select table_name || '.' || column_name as name, concat_ws(' ', data_type, is_nullable, column_default) as definition
      from information_schema.columns where table_schema = 'public'
    union all
    select indexname, indexdef from pg_indexes where schemaname = 'public'
    union all
    select conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid)
      from pg_constraint where connamespace = 'public'::regnamespace
     order by 1, 2`.execute(db);
  return rows;
}

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
