import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transaction } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { reversePurchase } from '#purchases/reverse-purchase.ts';
import { exchangeBenefit } from '#test/exchange-benefit.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { redeemVoucher } from '#vouchers/redeem-voucher.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';

const OF_EACH = 15;
/** `RACE_ROUNDS=200` is a long form. */
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 10);
const MONTH_MS = 31 * 24 * 60 * 60 * 1000;

for (const mode of ['rolling', 'accumulated'] as const) {
  test(`purchases, returns, exchanges and give-backs on one member, ${4 * OF_EACH} at once: none is refused, every point is accounted for (${mode})`, async () => {
    const { db } = await service();
    const shop = await makeShop({
      points_expiration: { mode, months: 12 },
      benefits: [benefit('coffee', { cost: 10 })],
      codes: { max_unused: 1000 },
    });
    const commerceId = shop.id;
    const member = await shop.member();
    const purchase = (amount: number, monthsAgo: number) =>
      transaction(db, async (tx) => {
        const at = new Date(Date.now() - monthsAgo * MONTH_MS);
        const [outcome] = await recordPurchases(tx, [
          { commerceId, buyer: { code: member.code }, amount, ...NOWHERE, late: { at, isLatest: false } },
        ]);
        if (outcome?.recorded !== true) throw outcome!.problem;
        return outcome.purchaseId;
      });
    const exchange = async () =>
      (await exchangeBenefit(db, { commerceId, userId: member.userId, benefitId: 'coffee' })).voucher.code;

    // Enough points for every round, so that any refusal is a defect.
    let expected = ROUNDS * OF_EACH * 20;
    await purchase(expected, 6);
    for (let round = 0; round < ROUNDS; round++) {
      const returned = await Promise.all(Array.from({ length: OF_EACH }, (_, i) => purchase(7, i % 9)));
      const bought = await Promise.all(Array.from({ length: OF_EACH }, exchange));
      const kept = Array.from({ length: OF_EACH }, exchange);
      await Promise.all([
        ...kept,
        ...Array.from({ length: OF_EACH }, (_, i) => [
          purchase(3, (round + i) % 9),
          transaction(db, (tx) => reversePurchase(tx, { commerceId, purchaseId: returned[i]! })),
          transaction(db, (tx) => giveBackVoucher(tx, { commerceId, code: bought[i]! })),
        ]).flat(),
      ]);
      // A member holds a limited number of unused codes, and so a long form would run into that limit.
      for (const code of await Promise.all(kept)) await redeemVoucher(db, { commerceId, code });
      // Returned purchases and vouchers given back leave nothing behind.
      expected += OF_EACH * (3 - 10);
    }
    const { body } = await shop.get(`/v1/clients/${member.code}`);
    assert.equal((body as { points: number }).points, expected);
    await assertBooksAgree(db, commerceId);
  });
}
