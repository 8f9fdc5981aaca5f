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

test('the demo is created once, found again later, and gets a new key if its key is lost', async (t) => {
  const db = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-demo-'));
  t.after(() => rm(folder, { recursive: true }));

  const made = await findOrMakeDemo(db, folder);
  assert.deepEqual(await findOrMakeDemo(db, folder), made);

  // The state after an interrupted first start: no key was stored, and the clock is somewhere in the past.
  await rm(join(folder, 'demo.json'));
  await setClock(db, made!.commerceId, new Date(Date.now() - 86_400_000));
  const found = await findOrMakeDemo(db, folder);
  assert.deepEqual({ ...found, key: '' }, { ...made, key: '' });
  assert.equal((await findKey(db, found!.key))?.commerceId, made!.commerceId);
  assert.ok(Math.abs((await readCommerce(db, made!.commerceId))!.now.getTime() - Date.now()) < 60_000);
});
