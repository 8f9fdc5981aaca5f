import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommerce } from '#commerces/commerce.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { readUnusualAmount, readUnusualPurchases } from './unusual-amount.ts';

test('what is unusual follows the shop’s own purchases, and one wrong purchase does not move it', async () => {
  const { db } = await service();
  const shop = await makeShop({ earning: { money_per_point: 2, max_amount: 1_000_000_000 } });
  const read = async () => readUnusualAmount(db, (await readCommerce(db, shop.id))!);
  assert.equal(await read(), 4000, 'without purchases, by the price of a point');
  const member = await shop.member();
  for (let i = 0; i < 20; i++) await shop.sell(member, 30);
  assert.equal(await read(), 300);
  const slip = await shop.post('/v1/consumptions/client-code', {
    client_code: member.code,
    amount: 453_914_897,
  });
  assert.equal(await read(), 300);
  const commerce = (await readCommerce(db, shop.id))!;
  assert.deepEqual(
    (await readUnusualPurchases(db, commerce, 30)).map(({ amount }) => amount),
    [453_914_897],
  );
  assert.equal((await shop.post(`${slip.headers.get('location')}/reversal`, {})).status, 201);
  assert.deepEqual(await readUnusualPurchases(db, commerce, 30), [], 'taken back, it needs nobody');
});

test('nothing above the highest amount is asked for: it is refused', async () => {
  const { db } = await service();
  const shop = await makeShop({ earning: { money_per_point: 1, max_amount: 500 } });
  assert.equal(await readUnusualAmount(db, (await readCommerce(db, shop.id))!), 500);
});
