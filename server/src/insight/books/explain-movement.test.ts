import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { advanceClock } from '#jobs/advance-clock.ts';
import { exchangeBenefit } from '#test/exchange-benefit.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { redeemVoucher } from '#vouchers/redeem-voucher.ts';
import { reversePurchase } from '#purchases/reverse-purchase.ts';
import { service } from '#test/harness.ts';
import { storedPurchaseId } from '#test/stored-id.ts';
import { benefit, makeShop } from '#test/make.ts';
import { readExplanation } from './read-explanation.ts';

for (const [locale, expected] of [
  [
    'en',
    [
      ['reward', 'Reward for joining: 50 points (50 until March 10, 2027).'],
      ['purchase', '1,750 ÷ 10 = 175 points; Silver × 1.5 = 262 points.'],
      [
        'exchange',
        'coffee, bought for 60 points; what expires first was spent first (-60 until March 10, 2027).',
      ],
      ['give_back', 'coffee, given back for its 60 points (60 until March 10, 2027).'],
      [
        'exchange',
        'coffee, bought for 60 points; what expires first was spent first (-60 until March 10, 2027).',
      ],
      ['usage', 'coffee, used; no points move.'],
      [
        'reversal',
        "By the rule of the purchase's own day what is kept of it, 1,000, earns less: 112 points taken back (-112 until March 10, 2027).",
      ],
      ['expiry', '140 points expired unspent (-140 until March 10, 2027).'],
    ],
  ],
  [
    'es',
    [
      ['reward', 'Premio por unirse: 50 puntos (50 hasta el 10 de marzo de 2027).'],
      ['purchase', '1750 ÷ 10 = 175 puntos; Silver × 1,5 = 262 puntos.'],
      [
        'exchange',
        'coffee, comprado por 60 puntos; se gasta primero lo que vence antes (-60 hasta el 10 de marzo de 2027).',
      ],
      ['give_back', 'coffee, devuelto por sus 60 puntos (60 hasta el 10 de marzo de 2027).'],
      [
        'exchange',
        'coffee, comprado por 60 puntos; se gasta primero lo que vence antes (-60 hasta el 10 de marzo de 2027).',
      ],
      ['usage', 'coffee, usado; no se mueven puntos.'],
      [
        'reversal',
        'Por la regla del día de la compra, lo que se conserva de ella, 1000, suma menos: se retiran 112 puntos (-112 hasta el 10 de marzo de 2027).',
      ],
      ['expiry', '140 puntos vencieron sin gastarse (-140 hasta el 10 de marzo de 2027).'],
    ],
  ],
] as const) {
  test(`every movement is explained in one sentence (${locale})`, async () => {
    const { db } = await service();
    const shop = await makeShop({
      locale,
      sandbox: true,
      clock: '2027-01-10T10:00:00Z',
      earning: { money_per_point: 10 },
      points_expiration: { mode: 'rolling', months: 2 },
      levels: { ladder: [{ name: 'Silver', threshold: 0, points_multiplier: 1.5 }] },
      rewards: { welcome: { points: 50 } },
      benefits: [benefit('coffee', { cost: 60 })],
    });
    const commerceId = shop.id;
    const member = await shop.member();
    const bought = await shop.post('/v1/consumptions/client-code', {
      client_code: member.code,
      amount: 1750,
    });
    const exchange = async () =>
      (await exchangeBenefit(db, { commerceId, userId: member.userId, benefitId: 'coffee' })).voucher.code;
    const mistake = await exchange();
    await transaction(db, (tx) => giveBackVoucher(tx, { commerceId, code: mistake }));
    await redeemVoucher(db, { commerceId, code: await exchange() });
    const purchaseId = await storedPurchaseId(bought);
    await transaction(db, (tx) => reversePurchase(tx, { commerceId, purchaseId, amount: 750 }));
    await advanceClock(db, shop.slug, '3 months');

    const { rows } = await sql<{ id: number }>`
      select id from movements where commerce_id = ${commerceId} order by id`.execute(db);
    const told = await Promise.all(rows.map(({ id }) => readExplanation(db, commerceId, id)));
    assert.deepEqual(
      told.map((explanation) => [explanation?.type, explanation?.sentence]),
      expected,
    );
  });
}

test('a movement of another commerce is not found', async () => {
  const { db } = await service();
  const [shop, other] = [await makeShop(), await makeShop()];
  const member = await shop.member();
  const bought = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 5 });
  const id = await storedPurchaseId(bought);
  assert.equal(await readExplanation(db, other.id, id), undefined);
  assert.equal((await readExplanation(db, shop.id, id))?.points, 5);
});
