import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, type Database } from '#db/database.ts';
import { migrate, readMigrationStatus } from '#db/migrate.ts';
import { loyalty } from '#test/command.ts';
import { databaseUrl, emptyDatabase, nameOf, open, testDatabase } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import { fillDatabase } from './fill-database.ts';
import { inSnapshot } from './read-tables.ts';
import type { Rows } from './tables.ts';

test('a counter of a table of somebody else is neither copied nor missed', async (t) => {
  const db = await testDatabase();
  await makeShop();
  await sql`create table visits (id bigserial primary key)`.execute(db);
  t.after(() => sql`drop table visits`.execute(db));
  await sql`insert into visits default values`.execute(db);
  const copy = await emptyDatabase(t, 2);
  await inSnapshot(db.address, async (snapshot) => {
    assert.deepEqual(snapshot.foreignTables, ['visits']);
    const counters = await snapshot.readCounters();
    assert.deepEqual(
      counters.filter(({ table }) => table === 'visits'),
      [],
    );
    // A backup of an earlier version of the program names it.
    const readCounters = () => Promise.resolve([...counters, { table: 'visits', column: 'id', last: 1 }]);
    await fillDatabase(copy, { ...snapshot, readCounters });
  });
  assert.deepEqual(await readCountersOf(copy), await readCountersOf(db));
});

test('a database that is migrated further than the rows is refused, and says so', async (t) => {
  const copy = await emptyDatabase(t, 2);
  await migrate(copy);
  const names = await readMigrationNames(copy);
  const older = names.slice(0, -1);
  await assert.rejects(fillWith(copy, { migrations: older }), {
    message: `The database has the tables of a newer release than the rows: it has the migration ${names.at(-1)}. Create an empty one.`,
  });
});

test('a database is not filled while somebody else has it open; connections of its own do not count', async (t) => {
  const from = await emptyDatabase(t, 2);
  await migrate(from);
  const copy = await emptyDatabase(t, 2);
  await migrate(copy);
  // Two at once, so that both connections stay open for a while.
  await Promise.all([1, 2].map(() => sql`select pg_sleep(0.2)`.execute(copy)));
  const another = open(await nameOf(copy), 1);
  await sql`select 1`.execute(another);
  await assert.rejects(
    inSnapshot(from.address, (snapshot) => fillDatabase(copy, snapshot)),
    /A service or a command of this program is using the database/,
  );
  await another.destroy();
  await inSnapshot(from.address, (snapshot) => fillDatabase(copy, snapshot));
});

test('rows are not read while a migration is unfinished', async (t) => {
  const db = await emptyDatabase(t, 2);
  await migrate(db);
  await sql`create procedure finish_something() language sql begin atomic select 1; end`.execute(db);
  await assert.rejects(
    inSnapshot(db.address, () => Promise.resolve()),
    /A migration is not finished: run `loyalty migrate` first/,
  );
  await migrate(db);
  await inSnapshot(db.address, () => Promise.resolve());
});

test('a backup of a newer schema is refused with the way to take one', async (t) => {
  const db = await emptyDatabase(t, 2);
  const own = (await migrate(db)).at(-1)!;
  await sql`
    insert into schema_migrations (name, timestamp, oldest_program)
    values ('9998_of_tomorrow', now()::text, ${own})`.execute(db);
  const env = { DATABASE_URL: databaseUrl(await nameOf(db)) };
  const refused = await loyalty(['backup', '/tmp'], { env });
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /has the migration 9998_of_tomorrow of a newer program\. Only that program can copy it/,
  );
});

test('a view of an extension is not a table of somebody else', async (t) => {
  const db = await testDatabase();
  const copy = await emptyDatabase(t, 2);
  await sql`create extension pg_stat_statements`.execute(copy);
  await inSnapshot(db.address, (snapshot) => fillDatabase(copy, snapshot));
  assert.deepEqual(await readCountersOf(copy), await readCountersOf(db));
});

async function fillWith(copy: Database, rows: Partial<Rows>) {
  const db = await testDatabase();
  return inSnapshot(db.address, (snapshot) => fillDatabase(copy, { ...snapshot, ...rows }));
}

async function readCountersOf(db: Database) {
  return inSnapshot(db.address, (snapshot) => snapshot.readCounters());
}

async function readMigrationNames(db: Database): Promise<string[]> {
  return (await readMigrationStatus(db)).map(({ name }) => name);
}
