import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { sql, transaction, type Database } from '#db/database.ts';
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

test('an index of a table that has rows is built while writes go on', async () => {
  const folder = new URL('../src/platform/db/migrations/', import.meta.url);
  // The versions of the programs and the keys are few.
  const small = new Set(['programs', 'api_keys']);
  for (const name of (await readdir(folder)).filter((file) => file >= '0020')) {
    const text = await readFile(new URL(name, folder), 'utf8');
    const made = new Set(
      [...text.matchAll(/^create table (?:if not exists )?(\w+)/gm)].map(([, table]) => table!),
    );
    for (const [statement, concurrently, table = ''] of text.matchAll(
      /^create (?:unique )?index (concurrently )?\w+\s+on (\w+)/gm,
    ))
      assert.ok(concurrently || made.has(table) || small.has(table), `${name}: ${statement}`);
  }
});

test('a statement that adds a constraint does nothing else, because a cluster refuses more', async () => {
  const folder = new URL('../src/platform/db/migrations/', import.meta.url);
  // No database of before was ever on a cluster.
  for (const name of (await readdir(folder)).filter((file) => file >= '0064')) {
    const text = await readFile(new URL(name, folder), 'utf8');
    for (const [statement] of text.matchAll(/^alter table [^;]*?\badd constraint\b[^;]*;/gm)) {
      const acts = statement.match(
        /^ +(?:add|drop|alter|validate)\b|^alter table \w+ (?:add|drop|alter|validate)\b/gm,
      );
      assert.equal(acts?.length, 1, `${name}: ${statement}`);
    }
  }
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

test('a newer schema that names this program or an older one as the oldest is run on, and left as it is', async (t) => {
  const db = await emptyDatabase(t, 2);
  const name = await nameOf(db);
  const own = (await migrate(db)).at(-1)!;
  const addNewer = (migration: string, oldest: string) =>
    sql`insert into schema_migrations (name, timestamp, oldest_program)
        values (${migration}, ${new Date().toISOString()}, ${oldest})`.execute(db);
  await addNewer('9998_of_tomorrow', own);
  // A procedure that the newer program has not finished yet is none of this one's.
  await sql`create procedure finish_tomorrow() language sql begin atomic select 1 / 0; end`.execute(db);
  const before = await schemaOf(db);
  assert.deepEqual(await migrate(db), []);
  const { code, stdout } = await loyalty(['migrate', '--status', '--json'], name);
  assert.equal(code, 0);
  assert.equal((JSON.parse(stdout) as { name: string }[]).at(-1)!.name, '9998_of_tomorrow');
  assert.equal((await loyalty(['commerce', 'list'], name)).code, 0);

  await addNewer('9999_after_tomorrow', '9998_of_tomorrow');
  await assert.rejects(migrate(db), /it has the migration 9999_after_tomorrow/);
  assert.equal((await loyalty(['commerce', 'list'], name)).code, 1);
  assert.deepEqual(await schemaOf(db), before);
});

test('each migration that names an oldest program names one before itself', async () => {
  const folder = new URL('../src/platform/db/migrations/', import.meta.url);
  const names = (await readdir(folder)).map((file) => file.replace('.sql', '')).sort();
  for (const [i, name] of names.entries()) {
    const text = await readFile(new URL(`${name}.sql`, folder), 'utf8');
    const [, oldest] = /^-- Oldest program: (.*)$/m.exec(text) ?? [];
    if (oldest !== undefined) assert.ok(names.slice(0, i).includes(oldest), `${name}: ${oldest}`);
  }
});

test('a migration that meets a deadlock or a lock held too long is tried again', async (t) => {
  const db = await emptyDatabase(t, 4);
  const missing = await migrateTo(db, '0008');
  const holds = Promise.withResolvers<void>();
  const holder = transaction(db, async (tx) => {
    await sql`lock table members in access exclusive mode`.execute(tx);
    holds.resolve();
    await sql`select pg_sleep(3)`.execute(tx);
  });
  await holds.promise;
  // The lock is waited for two seconds, and held for three.
  assert.deepEqual(await migrate(db), missing);
  await holder;
});

test('a migration outside a transaction that was interrupted runs again and ends in the same schema', async (t) => {
  const db = await emptyDatabase(t, 2);
  const missing = await migrateTo(db, '0012');
  // A killed process leaves these behind: the columns, one index, and one that was never finished.
  await sql`alter table movements add column balance_after bigint`.execute(db);
  await sql`
    create index idempotency_keys_orders on idempotency_keys (commerce_id)`.execute(db);
  await sql`
    update pg_index set indisvalid = false where indexrelid = 'idempotency_keys_orders'::regclass`.execute(
    db,
  );
  assert.deepEqual(await migrate(db), missing);
  const whole = await emptyDatabase(t, 2);
  await migrate(whole);
  assert.deepEqual(await schemaOf(db), await schemaOf(whole));
});

test('people whom the release before entered are found after the migration, and so are those whom it enters and renames then', async (t) => {
  const db = await emptyDatabase(t, 2);
  const missing = await migrateTo(db, '0018');
  const commerces = await sql<{ id: number }>`
    insert into commerces (slug, status, sandbox, time_zone, program_version)
    select 'shop-' || n, 'active', false, 'UTC', 1 from generate_series(1, 2) as n
    returning id`.execute(db);
  const [one, other] = commerces.rows.map(({ id }) => id);
  // More than the procedure takes at once.
  const enter = (shop: number, from: number, to: number) =>
    sql`insert into members (commerce_id, state, email, code, ordinal, username)
        select ${shop}, 'member', 'm' || n || '@example.com', 100000000 + n, n, case when n % 2 = 0 then 'Änne Nº' || n end
          from generate_series(${from}::int, ${to}::int) as n`.execute(db);
  await enter(one!, 1, 1_200);
  await enter(other!, 1, 3);
  assert.deepEqual(await migrate(db), missing);
  await enter(one!, 1_201, 1_300);
  await sql`update members set username = 'Zoë' where commerce_id = ${one} and code = 100000002`.execute(db);
  await sql`update members set username = null where commerce_id = ${one} and code = 100000004`.execute(db);

  const { rows } = await sql<{ shop: number; word: string; people: number }>`
    select commerce_id as shop, case when word < 'z' then word end as word, count(*) as people
      from member_words
     where word in ('anne', 'zoe') or word > 'zz'
     group by commerce_id, word order by commerce_id, word`.execute(db);
  assert.deepEqual(
    rows.map(({ shop, people }) => [shop, people]),
    [
      [one, 648],
      [one, 1],
      [one, 651],
      [other, 1],
      [other, 2],
    ],
  );
});

/** Applies the migrations before this one, and returns the names of the others. */
async function migrateTo(db: Database, first: string): Promise<string[]> {
  const folder = new URL('../src/platform/db/migrations/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  await sql`create table schema_migrations (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
    db,
  );
  for (const file of files.filter((name) => name < first)) {
    const text = await readFile(new URL(file, folder), 'utf8');
    // An index is built concurrently only by a statement that is sent alone.
    const parts = text.startsWith('-- Runs outside a transaction.') ? text.split(/;\n/) : [text];
    for (const part of parts) await sql.raw(part).execute(db);
    await sql`insert into schema_migrations (name, timestamp) values (${file.slice(0, -4)}, now())`.execute(
      db,
    );
  }
  return files.filter((name) => name >= first).map((file) => file.slice(0, -4));
}

async function loyalty(
  args: string[],
  database: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ENV_FILE: 'off', DATABASE_URL: databaseUrl(database) };
  try {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [`${ROOT}/server/src/cli/loyalty.js`, ...args],
      { env },
    );
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}
