import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDatabase, sql, type Database } from '#db/database.ts';
import { testDatabase } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import { createKey, findKey, listKeys, revokeAllKeys, revokeKey } from './api-keys.ts';
import { DEFAULT_SCOPES } from '#http/key-scopes.ts';
import { closeCommerce } from './close-commerce.ts';
import { newKeyToken } from './key-token.ts';
import { listCommerces } from './list-commerces.ts';

let db: Database;
before(async () => {
  db = await testDatabase();
});

test('a key finds its commerce, and the database holds only its hash', async () => {
  const shop = await makeShop();
  const { id, key } = await createKey(db, shop.id, 'till 1');
  assert.deepEqual(await findKey(db, key), {
    commerceId: shop.id,
    keyId: id,
    scopes: DEFAULT_SCOPES,
    sandbox: false,
  });

  const { rows } = await sql<{ row: string }>`
    select to_jsonb(k)::text as row from api_keys k where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 2);
  for (const { row } of rows) assert.ok(!row.includes(key.slice(12)));
});

test('a sandbox key can be told from a live key by its prefix', async () => {
  const [live, sandbox] = [await makeShop(), await makeShop({ sandbox: true })];
  assert.match((await createKey(db, live.id, 'a')).key, /^lk_live_/);
  assert.match((await createKey(db, sandbox.id, 'a')).key, /^lk_test_/);
});

test('a key that was never issued finds nothing', async () => {
  assert.equal(await findKey(db, newKeyToken('live')), null);
});

test('a malformed key is rejected without a query', async () => {
  const unreachable = openDatabase({
    url: 'postgres://127.0.0.1:1/none',
    poolSize: 1,
    preparedStatements: true,
  });
  const key = newKeyToken('live');
  for (const text of ['', 'lk_live_', `${key}x`, key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')]) {
    assert.equal(await findKey(unreachable, text), null);
  }
  await assert.rejects(findKey(unreachable, key), /ECONNREFUSED/);
  await unreachable.destroy();
});

test('a revoked key is refused, the other keys still work, and revoking again changes nothing', async () => {
  const shop = await makeShop();
  const { id, key } = await createKey(db, shop.id, 'old');
  assert.equal(await revokeKey(db, shop.id, id), true);
  assert.equal(await revokeKey(db, shop.id, id), false);
  assert.equal(await findKey(db, key), null);
  assert.equal((await findKey(db, shop.key))?.commerceId, shop.id);
  const listed = await listKeys(db, shop.id);
  assert.deepEqual(
    listed.map(({ name, prefix, revokedAt }) => [name, prefix, revokedAt !== null]),
    [
      ['test', shop.key.slice(0, 12), false],
      ['old', key.slice(0, 12), true],
    ],
  );
});

test('a commerce cannot revoke another commerce’s key', async () => {
  const [mine, yours] = [await makeShop(), await makeShop()];
  const { id, key } = await createKey(db, yours.id, 'yours');
  assert.equal(await revokeKey(db, mine.id, id), false);
  assert.equal(await revokeAllKeys(db, mine.id), 1);
  assert.equal((await findKey(db, key))?.keyId, id);
});

test('the keys of a closed commerce are refused, and closing it again changes nothing', async () => {
  const shop = await makeShop();
  assert.equal(await closeCommerce(db, shop.id), true);
  assert.equal(await closeCommerce(db, shop.id), false);
  assert.equal(await findKey(db, shop.key), null);
  const listed = (await listCommerces(db)).find((commerce) => commerce.id === shop.id);
  assert.deepEqual([listed?.slug, listed?.status, listed?.members], [shop.slug, 'closed', 0]);
});
