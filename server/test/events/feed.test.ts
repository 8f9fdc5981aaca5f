import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benefit, makeShop } from '#test/make.ts';
import { catchUp, emptyCopy, readPage, readSnapshot } from './reader.ts';

test('a reader learns each thing that happens once, in the order in which it happened', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 10 })] });
  const member = await shop.member();
  await shop.sell(member, 30);
  const code = await shop.voucher(member, 'coffee');
  assert.equal((await shop.post('/v1/benefits/redeem', { client_benefit_code: code })).status, 200);
  await shop.leave(member);

  const copy = emptyCopy();
  const events = await catchUp(shop, copy, 2);
  assert.deepEqual(
    events.map(({ type }) => type),
    [
      'program.published',
      'member.invited',
      'member.joined',
      'purchase.recorded',
      'voucher.issued',
      'voucher.used',
      'member.left',
    ],
  );
  assert.deepEqual(await catchUp(shop, copy), []);
  const again = await readSnapshot(shop);
  assert.deepEqual([...again.members], [...copy.members]);
  assert.deepEqual(again.vouchers, copy.vouchers);
  assert.equal(again.movements, copy.movements);
  assert.deepEqual((await readPage(shop, again.next)).events, []);
});
