import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction, type Database, type Sql } from '#db/database.ts';
import { expectTampering } from '#test/database.ts';
import { countingDatabase } from '#test/count-statements.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { pinFromCommandLine } from '#test/staff.ts';
import { withoutSetting } from '#test/on-cluster.ts';
import { verifyLedger, type Difference } from './verify-ledger.ts';

const LADDER = [
  { name: 'Silver', threshold: 100, points_multiplier: 2 },
  { name: 'Gold', threshold: 10_000, points_multiplier: 10 },
];
const NAMES = 'a purchase names the tier that the movements before it give';
const HOLDS = 'a tier that is held was reached, or pinned by staff';

/** A change that somebody makes in the database before the member buys, and the invariant that the purchase breaks. */
const beforeBuying: [what: string, spent: number, set: Sql, levels: object, invariant: string][] = [
  ['a tier above the figures', 0, sql`tier_id = 'gold'`, {}, NAMES],
  ['a tier above the figures, where tiers end', 0, sql`tier_id = 'gold'`, { valid_months: 6 }, NAMES],
  ['no tier in place of the one reached', 150, sql`tier_id = null, tier_climb_base_points = 100`, {}, NAMES],
  [
    'a tier that was reached as expired',
    150,
    sql`tier_expired = true, tier_climb_base_points = 150`,
    {},
    NAMES,
  ],
  ['a pin that nobody made', 0, sql`tier_id = 'gold', tier_pinned = true, tier_pinned_at = now()`, {}, NAMES],
  ['figures from which a tier would be near', 0, sql`tier_climb_base_points = -9990`, {}, HOLDS],
];
for (const [what, spent, set, levels, invariant] of beforeBuying) {
  test(`a purchase after somebody has set ${what} is found, though the service wrote it`, async () => {
    const { db } = await service();
    const shop = await makeShop({ levels: { ladder: LADDER, ...levels } });
    const member = await shop.member();
    if (spent > 0) await shop.sell(member, spent);
    assert.deepEqual(await invariantsOf(db, shop), []);
    expectTampering(shop.id);
    await sql`update members set ${set} where commerce_id = ${shop.id} and id = ${member.memberId}`.execute(
      db,
    );
    await shop.sell(member, 20);
    const found = await invariantsOf(db, shop);
    assert.ok(found.includes(invariant), JSON.stringify(found));
  });
}

test('purchases of a member with a pinned tier agree, also after the pin and after a new ladder', async () => {
  const { db } = await service();
  const shop = await makeShop({ levels: { ladder: LADDER } });
  const member = await shop.member();
  const pin = { commerceId: shop.id, memberId: member.memberId, reason: 'A test' };
  await shop.sell(member, 120);
  await pinFromCommandLine(db, { ...pin, tierId: 'gold' });
  await shop.sell(member, 10);
  await shop.apply({ levels: { ladder: [LADDER[0]!, { ...LADDER[1]!, threshold: 200 }] } });
  await shop.sell(member, 10);
  assert.deepEqual(await invariantsOf(db, shop), []);
});

test('a tier that a return takes away cannot be set again', async () => {
  const { db } = await service();
  const shop = await makeShop({ levels: { ladder: LADDER } });
  const member = await shop.member();
  const sold = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 500 });
  await shop.post(`/v1/consumptions/${sold.headers.get('x-consumption-id')}/reversal`, {});
  assert.deepEqual(await invariantsOf(db, shop), []);
  expectTampering(shop.id);
  await sql`update members set tier_id = 'silver' where commerce_id = ${shop.id} and id = ${member.memberId}`.execute(
    db,
  );
  assert.deepEqual(await invariantsOf(db, shop), [HOLDS]);
  await shop.sell(member, 20);
  assert.ok((await invariantsOf(db, shop)).includes(NAMES));
});

test('an exchange at a price that somebody has set is found, though the service sold it', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 70 })] });
  const member = await shop.member();
  await shop.sell(member, 100);
  expectTampering(shop.id);
  await sql`update benefits set cost = 1 where commerce_id = ${shop.id}`.execute(db);
  await shop.voucher(member, 'coffee');
  assert.deepEqual(await invariantsOf(db, shop), ['an exchange cost what its program asked']);
});

test('a price that the program changes counts for what is sold after it', async () => {
  const { db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 70 }), benefit('free', { cost: 0 })] });
  const member = await shop.member();
  await shop.sell(member, 100);
  await shop.voucher(member, 'coffee');
  await shop.apply({ benefits: [benefit('coffee', { cost: 5 }), benefit('free', { cost: 0 })] });
  await shop.voucher(member, 'coffee');
  await shop.voucher(member, 'free');
  await shop.apply({ benefits: [] });
  assert.deepEqual(await invariantsOf(db, shop), []);
});

test('another day of the last purchase is found', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const member = await shop.member();
  await shop.sell(member, 100);
  expectTampering(shop.id);
  for (const day of [sql`moved_on - 2`, sql`moved_on + 30`, sql`null`]) {
    await transaction(db, (tx) =>
      sql`update members set moved_on = ${day} where commerce_id = ${shop.id} and id = ${member.memberId}`.execute(
        tx,
      ),
    );
    assert.deepEqual(await invariantsOf(db, shop), [
      'the day of the last purchase or exchange is that of the movement',
    ]);
    await sql`update members set moved_on = current_date where commerce_id = ${shop.id} and id = ${member.memberId}`.execute(
      db,
    );
  }
});

test(
  'the number of statements does not grow with that of small shops, and each is told what is wrong with it',
  { skip: withoutSetting('the books are checked shop by shop') },
  async () => {
    const { db } = await service();
    const shops: Shop[] = [];
    for (let i = 0; i < 6; i++) {
      const shop = await makeShop({ benefits: [benefit('coffee', { cost: 7 })] });
      const member = await shop.member();
      await shop.sell(member, 20 + i);
      await shop.voucher(member, 'coffee');
      shops.push(shop);
    }
    for (const { id } of shops) expectTampering(id);
    await sql`update benefits set sold = 5 where commerce_id = ${shops[1]!.id}`.execute(db);
    await sql`update enrolments set total = 9 where commerce_id = ${shops[4]!.id}`.execute(db);
    const counting = await countingDatabase();
    const statementsFor = async (some: readonly Shop[]) => {
      let differences: readonly Difference[] = [];
      const { statements } = await counting.count(async () => {
        ({ differences } = await verifyLedger(counting.db, { commerceIds: some.map(({ id }) => id) }));
      });
      return { statements, differences };
    };
    const two = await statementsFor(shops.slice(2, 4));
    const six = await statementsFor(shops);
    assert.ok(six.statements <= two.statements + 1, `${two.statements}, ${six.statements}`);
    assert.deepEqual(
      six.differences.map(({ commerce, invariant }) => [commerce, invariant]),
      [
        [shops[1]!.slug, 'what was sold is what was issued, within its limit'],
        [shops[4]!.slug, 'the list of members is dense, and its total right'],
      ],
    );
  },
);

async function invariantsOf(db: Database, shop: Shop): Promise<string[]> {
  const { differences } = await verifyLedger(db, { commerceIds: [shop.id] });
  return [...new Set(differences.map(({ invariant }) => invariant))].sort();
}
