import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeShop } from '#test/make.ts';

test('sixty people with new accounts enrol at three shops at once', async () => {
  const shops = await Promise.all([makeShop(), makeShop(), makeShop()]);
  const members = await Promise.all(Array.from({ length: 60 }, (_, i) => shops[i % 3]!.member()));
  assert.equal(new Set(members.map(({ userId }) => userId)).size, 60);
  for (const { get } of shops) {
    const { body } = await get('/v1/clients/list');
    assert.equal((body as { total: number }).total, 20);
  }
});
