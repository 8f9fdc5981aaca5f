/** What somebody did to a code whose use was undone, and that the check of the books names it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { undoRedemption } from '#corrections/undo-redemption.ts';
import { sql, transaction } from '#db/database.ts';
import { redeemVoucher } from '#vouchers/redeem-voucher.ts';
import { expectTampering } from '#test/database.ts';
import { earlier } from '#test/earlier.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { verifyLedger } from './verify-ledger.ts';

const { db } = await service();

/** A shop with two codes: the use of one was undone, the other is used. */
async function shopWithUndo() {
  const shop = await makeShop({ codes: { undo_days: 5 }, benefits: [benefit('coffee', { cost: 0 })] });
  const member = await shop.member();
  const [undone, used] = [await shop.voucher(member, 'coffee'), await shop.voucher(member, 'coffee')];
  const { id: keyId } = await createKey(db, shop.id, 'returns', { scopes: ['undo'] });
  for (const code of [undone, used])
    await redeemVoucher(db, { commerceId: shop.id, code, externalId: `order ${code}` });
  const undo = { commerceId: shop.id, externalId: `order ${undone}`, code: null, keyId, network: '::1' };
  await transaction(db, (tx) => undoRedemption(tx, undo, null));
  return { id: shop.id, memberId: member.memberId, undone, used };
}

type Made = Awaited<ReturnType<typeof shopWithUndo>>;

const ways: readonly [what: string, change: (made: Made) => ReturnType<typeof sql>, says: RegExp][] = [
  [
    'a code that the ledger says is free was marked as used',
    ({ id, undone }) =>
      sql`update vouchers set used_at = now() where commerce_id = ${id} and code = ${undone}`,
    /the ledger has no use of it/,
  ],
  [
    'a code that the ledger says is used was made free',
    ({ id, used }) => sql`update vouchers set used_at = null where commerce_id = ${id} and code = ${used}`,
    /not used, but the ledger has another use of it/,
  ],
  [
    'a code was used twice without an undo between',
    ({ id, memberId, used }) => sql`
      insert into movements (commerce_id, member_id, type, at, points, voucher_code)
      select ${id}::bigint, ${memberId}::bigint, 'usage', used_at, 0, code from vouchers where commerce_id = ${id} and code = ${used}`,
    /: usage after usage/,
  ],
  [
    'a use was undone twice',
    ({ id, undone }) => sql`
      insert into movements (commerce_id, member_id, type, at, points, voucher_code, snapshot)
      select commerce_id, member_id, type, at, points, voucher_code, snapshot
        from movements where commerce_id = ${id} and type = 'undo' and voucher_code = ${undone}`,
    /: undo after undo/,
  ],
  [
    'the note of an undo was deleted, so that its id redeems again',
    ({ id }) => sql`update redemptions set undo_id = null, undone_at = null where commerce_id = ${id}`,
    /the undo of its use is not that of the redemption/,
  ],
  [
    'a redemption was said to be another use',
    ({ id, used }) => sql`
      update redemptions set used_at = ${earlier('used_at', '9 days')} where commerce_id = ${id} and code = ${used}`,
    /is not the use of the ledger/,
  ],
  [
    'the key of a redemption was changed',
    ({ id, used }) => sql`
      update idempotency_keys set key = key || 'x' where commerce_id = ${id} and operation = 'redemption' and result = ${used}`,
    /points at .* which does not exist/,
  ],
];

test('books with an undone use have no differences', async () => {
  const { id } = await shopWithUndo();
  assert.deepEqual((await verifyLedger(db, { commerceIds: [id] })).differences, []);
});

for (const [what, change, says] of ways) {
  test(`it is named if ${what}`, async () => {
    const made = await shopWithUndo();
    expectTampering(made.id);
    await change(made).execute(db);
    const { differences } = await verifyLedger(db, { commerceIds: [made.id] });
    assert.ok(
      differences.some((one) => says.test(one.says)),
      JSON.stringify(differences),
    );
  });
}
