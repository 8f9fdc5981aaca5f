import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findKey } from '#commerces/api-keys.ts';
import { setClock } from '#commerces/clock.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { testDatabase } from '#test/database.ts';
import { findOrMakeDemo } from './find-or-make-demo.ts';

test('the demo is made once, found again, and gets another key where its own is lost', async (t) => {
  const db = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-demo-'));
  t.after(() => rm(folder, { recursive: true }));

  const made = await findOrMakeDemo(db, folder);
  assert.deepEqual(await findOrMakeDemo(db, folder), made);

  // As a first start leaves it that was broken off: no key kept, and the clock somewhere in the past.
  await rm(join(folder, 'demo.json'));
  await setClock(db, made!.commerceId, new Date(Date.now() - 86_400_000));
  const found = await findOrMakeDemo(db, folder);
  assert.deepEqual({ ...found, key: '' }, { ...made, key: '' });
  assert.equal((await findKey(db, found!.key))?.commerceId, made!.commerceId);
  assert.ok(Math.abs((await readCommerce(db, made!.commerceId))!.now.getTime() - Date.now()) < 60_000);
});
