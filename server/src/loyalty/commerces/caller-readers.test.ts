import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '#db/database.ts';
import { testDatabase } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import { newKeyToken } from './key-token.ts';
import { createKeyReader, createOpenCommerceReader } from './caller-readers.ts';

test('a thousand unknown keys and commerces at once take a few statements, and the right ones are found among them', async () => {
  const db = await testDatabase();
  const shop = await makeShop();
  let statements = 0;
  const counting: Database = {
    ...db,
    query: (text, values) => {
      statements += 1;
      return db.query(text, values);
    },
  };
  const findKey = createKeyReader(counting);
  const findCommerce = createOpenCommerceReader(counting);
  const keys = [...Array.from({ length: 1_000 }, () => newKeyToken('live')), shop.key];
  const ids = [...Array.from({ length: 1_000 }, (_, i) => 1_000_000 + i), shop.id];
  const [foundKeys, foundIds] = await Promise.all([
    Promise.all(keys.map(findKey)),
    Promise.all(ids.map(findCommerce)),
  ]);
  assert.equal(foundKeys.at(-1)?.commerceId, shop.id);
  assert.deepEqual(foundIds.at(-1), { id: shop.id, sandbox: false });
  assert.deepEqual([foundKeys.filter(Boolean).length, foundIds.filter(Boolean).length], [1, 1]);
  assert.ok(statements <= 12, `${statements} statements`);
});
