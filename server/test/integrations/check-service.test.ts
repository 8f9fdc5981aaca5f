import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { createShopClient } from '../../../sdk/src/index.ts';
import { core } from './core.ts';

test('a shop is told whether the service answers and knows all of its keys', async () => {
  const { url: baseUrl } = await service();
  const known = createShopClient({ baseUrl, apiKey: (await makeShop()).key });
  const revoked = createShopClient({ baseUrl, apiKey: 'lk_live_of_another_shop' });
  const away = createShopClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'any' });
  assert.equal(await core.checkService(known), null);
  assert.match((await core.checkService(known, revoked)) ?? '', /key/i);
  assert.match((await core.checkService(away)) ?? '', /did not answer/);
});
