/** All code that computes a purchase's points must know the same facts: recording, replaying and checking the books. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transaction } from '#db/database.ts';
import { factsOf as checkedFacts } from '#books/check-earning.ts';
import { readHistories } from '#books/read-histories.ts';
import type { PurchaseFacts } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { factsOf as replayedFacts } from '#what-if/life.ts';
import { readMovements } from '#what-if/read-history.ts';

/** Two values of everything that a rule may look at. A new field is one that does not compile without its own here. */
const VALUES: {
  readonly [Field in keyof PurchaseFacts]: readonly [PurchaseFacts[Field], PurchaseFacts[Field]];
} = {
  amount: [12, 345],
  at: [new Date('2026-03-01T10:00:00.123Z'), new Date('2026-03-02T23:59:59.999Z')],
  branchId: [null, 7],
  registerId: [3, null],
  channel: [null, 'web'],
  lines: [
    null,
    [{ id: '1', product: 'mug', categories: ['kitchen', 'gifts'], units: 2, amount: 12, discounted: false }],
  ],
};

/** All values at once, and each other value alone. */
function differing(): PurchaseFacts[] {
  const pick = (other: string | null) =>
    Object.fromEntries(
      Object.entries(VALUES).map(([field, values]) => [field, values[field === other ? 1 : 0]]),
    ) as unknown as PurchaseFacts;
  return [null, ...Object.keys(VALUES)].map(pick);
}

test('a replay and the books know of a purchase exactly what was known when it was recorded', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const member = await shop.member();
  const facts = differing();
  await transaction(db, (tx) =>
    recordPurchases(
      tx,
      facts.map(({ at, ...purchase }) => ({
        commerceId: shop.id,
        buyer: { code: member.code },
        ...purchase,
        late: { at, isLatest: false },
      })),
    ),
  );

  const replayed: PurchaseFacts[] = [];
  const checked: PurchaseFacts[] = [];
  await transaction(db, async (tx) => {
    for await (const page of readMovements(tx, shop.id, null))
      replayed.push(...page.filter(({ type }) => type === 'purchase').map(replayedFacts));
    const people = { commerceIds: [shop.id], memberIds: [member.memberId] } as const;
    await readHistories(tx, people, ({ movements }) => {
      checked.push(...movements.filter(({ type }) => type === 'purchase').map(checkedFacts));
    });
  });
  assert.deepEqual(replayed, facts);
  assert.deepEqual(checked, facts);
});
