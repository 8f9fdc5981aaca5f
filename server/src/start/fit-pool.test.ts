import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/database.ts';
import { readConfig } from '#settings/config.ts';
import { fitPool } from './fit-pool.ts';

const url = 'postgres://db.example/loyalty';

test('processes get the connections that were asked for, as long as PostgreSQL has room for all', async () => {
  const config = readConfig({ DATABASE_URL: url, DATABASE_POOL_SIZE: '3' });
  assert.deepEqual(await fitPool(config, await testDatabase(), 2), { poolSize: 3, warning: null });
});

test('where all together would need more, each gets less, and the start says so', async () => {
  const db = await testDatabase();
  const config = readConfig({ DATABASE_URL: url, DATABASE_POOL_SIZE: '1000' });
  const { poolSize, warning } = await fitPool(config, db, 3);
  const { rows } = await db.query('show max_connections', []);
  assert.ok(poolSize * 3 < Number((rows[0] as { max_connections: string }).max_connections));
  assert.ok(poolSize > 2);
  assert.match(
    warning!,
    /^3 processes with DATABASE_POOL_SIZE=1000 would need 3000 connections, and PostgreSQL offers \d+ to all: each process gets \d+\./,
  );
});

test('behind a pooler, processes get as many as they ask for', async () => {
  const config = readConfig({
    DATABASE_URL: url,
    DATABASE_DIRECT_URL: `${url}_direct`,
    DATABASE_POOL_SIZE: '1000',
  });
  assert.deepEqual(await fitPool(config, await testDatabase(), 64), { poolSize: 1000, warning: null });
});
