import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql, transaction, type Database } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { countingDatabase, type CountingDatabase } from '#test/count-statements.ts';
import { benefit, makeShop, type ProgramFields, type Shop } from '#test/make.ts';
import { birthdays } from '#jobs/birthdays.ts';

const gift = (id: string, kind: string, fields = {}) =>
  benefit(id, { benefit_type: kind, cost: 0, ...fields });

const TIERS = {
  ladder: [1, 2, 3].map((rank) => ({ name: `Tier ${rank}`, threshold: rank * 10, benefit: `tier-${rank}` })),
};
const TIER_GIFTS = [1, 2, 3].map((rank) => gift(`tier-${rank}`, 'level'));

const rewarding: [gives: string, fields: ProgramFields][] = [
  [
    'points that reach three tiers',
    { rewards: { birthday: { points: 50 } }, levels: TIERS, benefits: TIER_GIFTS },
  ],
  ['a benefit', { rewards: { birthday: { benefit: 'cake' } }, benefits: [gift('cake', 'birthday')] }],
  [
    'a benefit that has expired',
    {
      rewards: { birthday: { benefit: 'cake' } },
      benefits: [gift('cake', 'birthday', { expiration: '2027-01-02T00:00:00Z' })],
    },
  ],
];
for (const [gives, fields] of rewarding) {
  test(`a birthday reward of ${gives} takes the same number of statements for 60 members as for 6`, async (t) => {
    const counting = await countingDatabase();
    const few = await celebrate(counting, 6, fields);
    const many = await celebrate(counting, 60, fields);
    assert.deepEqual(many.names, few.names);
    t.diagnostic(`${many.statements} statements: ${many.names.join(', ')}`);
  });
}

test('purchases take the same number of statements if 60 members reach three tiers as if one reaches one', async (t) => {
  const counting = await countingDatabase();
  const one = await buy(counting, 1, 10);
  const many = await buy(counting, 60, 30);
  assert.deepEqual(many.names, one.names);
  t.diagnostic(`${many.statements} statements: ${many.names.join(', ')}`);
});

async function celebrate({ db, count }: CountingDatabase, people: number, fields: ProgramFields) {
  const shop = await makeShop({ sandbox: true, clock: '2027-01-01T10:00:00Z', ...fields });
  await join(db, shop, people);
  await setClock(db, shop.id, new Date('2027-04-15T10:00:00Z'));
  await birthdays.run(db, (await makeShop()).id); // opens the connection
  const counted = await count(() => birthdays.run(db, shop.id));
  const { rows } = await sql`
    select member_id from rewards where commerce_id = ${shop.id} and event = 'birthday'
     union all
    select member_id from withheld_rewards where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, people);
  return counted;
}

async function buy({ db, count }: CountingDatabase, people: number, amount: number) {
  const shop = await makeShop({ levels: TIERS, benefits: TIER_GIFTS });
  const codes = await join(db, shop, people);
  const counted = await count(() =>
    transaction(db, (tx) =>
      recordPurchases(
        tx,
        codes.map((code) => ({ commerceId: shop.id, buyer: { code }, amount, ...NOWHERE })),
      ),
    ),
  );
  const { rows } = await sql`select from vouchers where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, (people * amount) / 10);
  return counted;
}

/** Adds members born on 15 April. Returns their codes. */
async function join(db: Database, shop: Shop, people: number): Promise<number[]> {
  const members = [];
  for (let i = 0; i < people; i++) members.push(await shop.member());
  await sql`
    update members set birth_date = '1990-04-15', birth_date_set_at = '2027-01-01' where commerce_id = ${shop.id}`.execute(
    db,
  );
  return members.map(({ code }) => code);
}
