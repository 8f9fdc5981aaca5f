import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { sql, type Database } from '#db/database.ts';
import { fillDatabase } from '#db/copy/fill-database.ts';
import { inSnapshot } from '#db/copy/read-tables.ts';
import { migrate } from '#db/migrate.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { emptyDatabase } from '../database.ts';
import { loadRelease, notePins } from './load-release.ts';
import { readReleases } from './release.ts';
import { schemaOf } from './schema-of.ts';

for (const release of readReleases()) {
  const { version } = release;

  test(`a copy of a database of ${version} is upgraded as the database itself`, async (t) => {
    const original = await emptyDatabase(t, 2);
    await loadRelease(original, release);
    const copy = await copyOf(t, original);
    await migrate(original);
    assert.deepEqual(await schemaOf(copy), await schemaOf(original));
    for (const db of [copy, original]) await notePins(db);
    assert.deepEqual((await verifyLedger(copy)).differences, []);
    assert.deepEqual(await rowsOf(copy, MADE_BY_MIGRATIONS), await rowsOf(original, MADE_BY_MIGRATIONS));
  });

  test(`a copy of an upgraded ${version} has every row, counter and rule, and can be made again if it fails`, async (t) => {
    const original = await emptyDatabase(t, 2);
    await loadRelease(original, release);
    await migrate(original);
    await loosenChecks(original);
    const copy = await emptyDatabase(t, 2);
    const confirm = () => Promise.reject(new Error('the last byte is missing'));
    await assert.rejects(
      inSnapshot(original.address, (snapshot) => fillDatabase(copy, { ...snapshot, confirm })),
      /the last byte is missing/,
    );
    assert.deepEqual((await sql`select from commerces`.execute(copy)).rows, []);
    await inSnapshot(original.address, (snapshot) => fillDatabase(copy, snapshot));
    assert.deepEqual(await schemaOf(copy), await schemaOf(original));
    assert.deepEqual(await rowsOf(copy), await rowsOf(original));
  });
}

/** A rule of `members` is missing and another was never checked, as if old rows broke them. */
async function loosenChecks(db: Database): Promise<void> {
  const { rows } = await sql<{ name: string; rule: string }>`
    select conname::text as name, replace(pg_get_constraintdef(oid), ' NOT VALID', '') as rule
      from pg_constraint
     where conrelid = 'members'::regclass and contype = 'c'
     order by conname
     limit 2`.execute(db);
  const [gone, doubtful] = rows as [(typeof rows)[0], (typeof rows)[0]];
  await sql`
    alter table members drop constraint ${sql.id(gone.name)}, drop constraint ${sql.id(doubtful.name)},
      add constraint ${sql.id(doubtful.name)} ${sql.raw(doubtful.rule)} not valid`.execute(db);
}

async function copyOf(t: Parameters<typeof emptyDatabase>[0], original: Database): Promise<Database> {
  const copy = await emptyDatabase(t, 2);
  await inSnapshot(original.address, async (snapshot) => {
    assert.deepEqual(snapshot.foreignTables, []);
    return fillDatabase(copy, snapshot);
  });
  return copy;
}

/** Columns that a migration fills with random bytes or with the time. */
const MADE_BY_MIGRATIONS = ['wire_ids.key'];

/** Returns all rows by table, in one order, and the counters. */
async function rowsOf(db: Database, without: readonly string[] = []): Promise<Record<string, unknown>> {
  return inSnapshot(db.address, async (snapshot) => {
    const rows: Record<string, unknown> = { counters: await snapshot.readCounters() };
    for (const table of snapshot.tables) {
      const columns = table.columns.filter((column) => !without.includes(`${table.name}.${column}`));
      const written = await text(Readable.from(snapshot.read({ ...table, columns })));
      rows[table.name] = written.split('\n').toSorted();
    }
    return rows;
  });
}

test('a database with a shop in it is not filled, and stays as it was', async (t) => {
  const [release] = readReleases();
  const original = await emptyDatabase(t, 2);
  await loadRelease(original, release!);
  const used = await emptyDatabase(t, 2);
  await loadRelease(used, release!);
  await assert.rejects(
    inSnapshot(original.address, (snapshot) => fillDatabase(used, snapshot)),
    /not empty: its table commerces has rows/,
  );
  const other = await emptyDatabase(t, 2);
  await sql`create table visits (at timestamptz)`.execute(other);
  await assert.rejects(
    inSnapshot(original.address, (snapshot) => fillDatabase(other, snapshot)),
    /not empty: it has the table visits/,
  );
});
