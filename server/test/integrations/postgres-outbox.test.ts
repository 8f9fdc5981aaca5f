/** The tables of shops that keep their data in PostgreSQL, on the one of the tests. Each test has a schema of its own. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Pool } from 'pg';
import { onEnd, testDatabaseUrl } from '#test/database.ts';
import type { Sql } from '../../../integrations/core/src/index.ts';
import { checkOutbox, core } from './core.ts';

async function makeDatabase(): Promise<Sql> {
  const schema = `shop_${randomBytes(6).toString('hex')}`;
  const pool = new Pool({
    connectionString: await testDatabaseUrl(),
    max: 20,
    options: `-c search_path=${schema}`,
  });
  onEnd(() => pool.end());
  await pool.query(`create schema ${schema}`);
  for (const statement of core.POSTGRES_OUTBOX_TABLES) await pool.query(statement);
  return async (statement, values = []) => (await pool.query(statement, [...values])).rows;
}

checkOutbox(async () => {
  const sql = await makeDatabase();
  // A shop that is installed begins at a mark.
  await sql('delete from loyalty_sweep');
  return core.postgresOutbox(sql);
});

test('a shop knows since when it has the plugin, however often its migrations run', async () => {
  const sql = await makeDatabase();
  const before = Date.now();
  const install = async () => {
    for (const statement of core.POSTGRES_INSTALLED_TABLE) await sql(statement);
    return core.readInstalledAt(sql);
  };
  const installedAt = await install();
  assert.ok(Math.abs(installedAt.getTime() - before) < 60_000);
  assert.deepEqual(await install(), installedAt);
});

test('in a shop that had the plugin before, no order that waits is from before', async () => {
  const sql = await makeDatabase();
  const notedAt = new Date('2026-11-01T10:00:00Z');
  await core.postgresOutbox(sql).note(['a'], notedAt);
  for (const statement of core.POSTGRES_INSTALLED_TABLE) await sql(statement);
  assert.deepEqual(await core.readInstalledAt(sql), notedAt);
});
