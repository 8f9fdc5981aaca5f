import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PATIENT, testDatabase, testDatabaseUrl } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import { isOnNodes } from '#test/on-cluster.ts';
import { openDatabase, sql, type Database } from './database.ts';
import { deleteOldRows } from './delete-old-rows.ts';

const db = await testDatabase();
const { id: commerceId } = await makeShop();

for (const setting of isOnNodes ? (['citus'] as const) : ([null, 'citus'] as const))
  test(`however much is old, no statement deletes more than 5,000 rows, or returns any, ${setting === null ? 'on one server' : 'on a cluster'}`, async (t) => {
    await sql`
      insert into sign_in_networks select 'many ' || i, array[now()] from generate_series(0, 5001) as i`.execute(
      db,
    );
    await sql`
      insert into commit_marks (commerce_id, id, at)
      select ${sql.lit(commerceId)}::bigint, gen_random_uuid(), '2027-01-01'::timestamptz + i * interval '1 s'
        from generate_series(0, 5001) as i`.execute(db);
    const opened = openDatabase({
      url: await testDatabaseUrl(),
      poolSize: 1,
      preparedStatements: true,
      cluster: setting,
      statementTimeoutMs: 60_000,
      patience: PATIENT,
    });
    t.after(() => opened.destroy());
    const deletes: (number | null)[][] = [];
    const query: Database['query'] = async (text, values) => {
      const result = await opened.query(text, values);
      if (text.includes('delete from')) deletes.push([result.rowCount, result.rows.length]);
      return result;
    };
    const watched = { ...opened, query };
    const isOld = {
      sign_in_networks: sql`network like 'many %' and network <> 'many 0'`,
      commit_marks: sql`commerce_id = ${commerceId} and at > '2027-01-01'`,
    };
    for (const table of ['sign_in_networks', 'commit_marks'] as const) {
      assert.equal(await deleteOldRows(watched, table, isOld[table]), 5_001);
      assert.deepEqual(deletes.splice(0), [
        [5_000, 0],
        [1, 0],
      ]);
      const { rows } = await sql`
        select from ${sql.id(table)} where ${table === 'commit_marks' ? sql`commerce_id = ${commerceId}` : sql`network = 'many 0'`}`.execute(
        db,
      );
      assert.equal(rows.length, 1, 'what is not old stays');
    }
    await sql`delete from sign_in_networks`.execute(db);
    await sql`delete from commit_marks`.execute(db);
  });
