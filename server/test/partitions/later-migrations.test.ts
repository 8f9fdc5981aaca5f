import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { sql, onConnection, transaction } from '#db/database.ts';
import { runOnPartitions } from '#db/index-of-partitions.ts';
import { examineSchema } from '#doctor/examine-schema.ts';
import { loyalty } from '#test/command.ts';
import { testDatabase } from '#test/database.ts';
import { makeShop } from '#test/make.ts';

const MIGRATIONS = new URL('../../src/platform/db/migrations/', import.meta.url);

const db = await testDatabase();

/** The statements about indexes of movements that migrations run outside a transaction. */
async function statements(): Promise<string[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).toSorted();
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, MIGRATIONS), 'utf8')));
  return texts
    .filter((text) => text.startsWith('-- Runs outside a transaction.'))
    .flatMap((text) => text.split(/;\n/))
    .filter((statement) => / index concurrently .*\bmovements_/.test(statement));
}

test('a migration that builds an index of movements concurrently does so on partitions, too', async () => {
  const shop = await makeShop();
  await shop.sell(await shop.member(), 10);
  assert.equal((await loyalty(['partition', '--parts', '4'])).code, 0);
  const found = await statements();
  assert.ok(found.length >= 6, String(found.length));
  for (const statement of found)
    await onConnection(db, async (connection) => {
      assert.equal(await runOnPartitions(connection, statement), true, statement);
    });
  assert.deepEqual((await examineSchema(db)).findings, []);
});

test('if it is interrupted, it runs again', async () => {
  const create = 'create index concurrently movements_tried on movements (commerce_id, note)';
  await sql`create index movements_tried on only movements (commerce_id, note)`.execute(db);
  await sql`create index movements_4_000_movements_tried on movements_4_000 (commerce_id, note)`.execute(db);
  await onConnection(db, async (connection) => {
    await runOnPartitions(connection, 'drop index concurrently if exists movements_tried');
    await runOnPartitions(connection, create);
  });
  const { rows } = await sql<{ isValid: boolean; parts: number }>`
    select indisvalid as "isValid", (select count(*) from pg_inherits where inhparent = indexrelid) as parts
      from pg_index where indexrelid = 'movements_tried'::regclass`.execute(db);
  assert.deepEqual(rows, [{ isValid: true, parts: 4 }]);
  assert.equal(
    await onConnection(db, (connection) =>
      runOnPartitions(connection, 'drop index concurrently if exists movements_tried'),
    ),
    true,
  );
});

test('columns, checks and foreign keys to movements are added as to one table', async () => {
  const back = new Error('taken back');
  await assert.rejects(
    transaction(db, async (tx) => {
      await sql`alter table movements add column tried bigint`.execute(tx);
      await sql`alter table movements add constraint a_try check (tried > 0) not valid`.execute(tx);
      await sql`alter table movements validate constraint a_try`.execute(tx);
      await sql`create table tries (commerce_id bigint, movement_id bigint,
                                    foreign key (commerce_id, movement_id) references movements)`.execute(tx);
      throw back;
    }),
    back,
  );
});
