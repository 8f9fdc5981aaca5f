import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { transaction } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { sealLedger } from '#seals/seal-ledger.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { holdVoucher } from '#vouchers/hold-voucher.ts';
import { releaseCart } from '#vouchers/holds.ts';
import { redeemVoucher } from '#vouchers/redeem-voucher.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { assertCopyAgrees } from './compare.ts';
import { catchUp, emptyCopy, readSnapshot } from './reader.ts';

/** `RACE_ROUNDS=100` is a long form. */
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 6);
const MEMBERS = 8;

test(`${ROUNDS} rounds of writers that commit in another order than they began: readers miss nothing and get nothing twice`, async () => {
  const { db } = await service();
  const shop = await makeShop({
    benefits: [benefit('coffee', { cost: 5 }), benefit('cap', { benefit_type: 'level', cost: 0 })],
    codes: { max_unused: 1000 },
    levels: {
      threshold_type: 'points',
      ladder: [
        { name: 'Crew', threshold: 0 },
        { name: 'Captain', threshold: 60, benefit: 'cap' },
      ],
    },
  });
  const members = await Promise.all(Array.from({ length: MEMBERS }, () => shop.member()));
  const first = emptyCopy();
  const stopping = new AbortController();
  const following = (async () => {
    while (!stopping.signal.aborted) await catchUp(shop, first, 7);
  })();
  const copies = [first];
  for (let round = 0; round < ROUNDS; round++) {
    const writing = members.map((member, i) => write(shop, member, i));
    const snapshot = readSnapshot(shop);
    await Promise.all([...writing, sealLedger(db, shop.id)]);
    copies.push(await snapshot);
  }
  stopping.abort();
  await following;
  for (const copy of copies) {
    await catchUp(shop, copy);
    await assertCopyAgrees(db, shop.id, copy);
  }
  assert.ok(first.movements > ROUNDS * MEMBERS * 4);

  /** A purchase whose ids are given out long before it commits, and quick ones meanwhile. */
  async function write(shop: Shop, member: MadeMember, i: number): Promise<void> {
    const commerceId = shop.id;
    if (i % 2 === 0)
      await transaction(db, async (tx) => {
        await recordPurchases(tx, [{ commerceId, buyer: { code: member.code }, amount: 11, ...NOWHERE }]);
        await pause(i * 15);
      });
    else for (let n = 0; n < 4; n++) await shop.sell(member, 6);
    const code = await shop.voucher(member, 'coffee');
    await transaction(db, (tx) =>
      holdVoucher(tx, { commerceId, code, externalId: `cart-${i}`, minutes: null }),
    );
    if (i % 4 === 0) await transaction(db, (tx) => releaseCart(tx, commerceId, `cart-${i}`));
    if (i % 3 === 0) await redeemVoucher(db, { commerceId, code });
    if (i % 3 === 1) await transaction(db, (tx) => giveBackVoucher(tx, { commerceId, code }));
    await shop.member();
    if (i === 2) await shop.block(await shop.member());
    if (i === 3) await shop.erase(await shop.member());
    if (i === 4) await shop.leave(await shop.member());
  }
});
