import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxSafeInteger, sample } from 'fast-check';
import { testDatabase } from '#test/database.ts';
import { sql } from '../database.ts';
import { hashBigint } from './hash-bigint.ts';

test('a commerce is hashed as PostgreSQL hashes it', async () => {
  const db = await testDatabase();
  const values = [0, 1, -1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, -(2 ** 32), 2 ** 46, Number.MAX_SAFE_INTEGER];
  values.push(...Array.from({ length: 2_000 }, (_, i) => i), ...sample(maxSafeInteger(), 3_000));
  const { rows } = await sql<{ hash: number }>`
    select hashint8(value) as hash from unnest(${values}::bigint[]) with ordinality as v(value, place) order by place`.execute(
    db,
  );
  assert.deepEqual(
    values.map(hashBigint),
    rows.map(({ hash }) => hash),
  );
});
