import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql, type Database } from '#db/database.ts';
import { assertBooksAgree } from '#test/books.ts';
import { testDatabase } from '#test/database.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { monthlyTop } from './monthly-top.ts';

let db: Database;
before(async () => {
  db = await testDatabase();
});

const REWARD = { rewards: { monthly_top: { points: 1000, settle_days: 3 } } };

test('a reward announced on 20 April does not reward March or April, but rewards May', async () => {
  const shop = await makeShop({ sandbox: true, clock: '2027-03-01T10:00:00Z' });
  const member = await shop.member();
  await buy(shop, member, '2027-03-10', 500);
  await buy(shop, member, '2027-04-10', 500);
  await at(shop, '2027-04-20');
  await shop.apply({ sandbox: true, ...REWARD });
  await buy(shop, member, '2027-04-25', 500);
  assert.equal(await monthlyTop.run(db, shop.id), 0);
  await buy(shop, member, '2027-05-10', 500);
  assert.equal(await monthlyTop.run(db, shop.id), 0);
  await at(shop, '2027-06-04');
  assert.equal(await monthlyTop.run(db, shop.id), 1);
  assert.deepEqual(await winnersOf(shop), [['2027-05', member.memberId]]);
});

test('a month counts if the reward was announced by its first instant, but not a second later', async () => {
  for (const [announced, months] of [
    ['2027-04-30T22:00:00Z', ['2027-05']], // midnight in Madrid
    ['2027-04-30T22:00:01Z', []],
  ] as const) {
    const shop = await makeShop({ sandbox: true, clock: announced });
    const member = await shop.member();
    await sql`
      update programs set in_force_at = ${announced}::timestamptz where commerce_id = ${shop.id}`
      .execute(db)
      .catch(() => {});
    await shop.apply({ sandbox: true, ...REWARD });
    await sql`
      update programs set in_force_at = ${announced}::timestamptz where commerce_id = ${shop.id}`
      .execute(db)
      .catch(() => {});
    await buy(shop, member, '2027-05-10', 500);
    await at(shop, '2027-06-04');
    await monthlyTop.run(db, shop.id);
    assert.deepEqual(
      (await winnersOf(shop)).map(([month]) => month),
      months,
    );
  }
});

test('a reward continues if its gift changes, but starts anew if it is removed and added back', async () => {
  const shop = await makeShop({ sandbox: true, clock: '2027-01-01T00:00:00+01:00', ...REWARD });
  const member = await shop.member();
  await buy(shop, member, '2027-02-10', 500);
  await shop.apply({ sandbox: true, rewards: { monthly_top: { points: 5, settle_days: 0 } } });
  await at(shop, '2027-03-01');
  assert.equal(await monthlyTop.run(db, shop.id), 1);
  await buy(shop, member, '2027-03-10', 500);
  await shop.apply({ sandbox: true });
  await buy(shop, member, '2027-04-10', 500);
  await shop.apply({ sandbox: true, ...REWARD });
  await buy(shop, member, '2027-05-10', 500);
  await at(shop, '2027-06-10');
  await monthlyTop.run(db, shop.id);
  assert.deepEqual(
    (await winnersOf(shop)).map(([month]) => month),
    ['2027-02', '2027-05'],
  );
});

test('months in which no job ran are each rewarded once, oldest first', async () => {
  const shop = await makeShop({ sandbox: true, clock: '2026-12-31T10:00:00Z', ...REWARD });
  const [a, b] = [await shop.member(), await shop.member()];
  await buy(shop, a, '2027-01-10', 500);
  await buy(shop, b, '2027-02-10', 500);
  // Nobody bought in March.
  await buy(shop, a, '2027-04-10', 500);
  await at(shop, '2027-05-04');
  const runs = await Promise.all(Array.from({ length: 10 }, () => monthlyTop.run(db, shop.id)));
  assert.equal(
    runs.reduce((sum, count) => sum + count),
    3,
  );
  assert.deepEqual(await winnersOf(shop), [
    ['2027-01', a.memberId],
    ['2027-02', b.memberId],
    ['2027-04', a.memberId],
  ]);
  await assertBooksAgree(db, shop.id);
});

async function buy(shop: Shop, member: MadeMember, day: string, amount: number): Promise<void> {
  await at(shop, day);
  await shop.sell(member, amount);
}

async function at(shop: Shop, day: string): Promise<void> {
  await setClock(db, shop.id, new Date(`${day}T10:00:00Z`));
}

/** Returns the months that were rewarded, in the order in which they were rewarded, and the winners. */
async function winnersOf(shop: Shop): Promise<[month: string, memberId: number][]> {
  const { rows } = await sql<{ period: string; memberId: number }>`
    select r.period, r.member_id as "memberId"
      from rewards r
     where r.commerce_id = ${shop.id} and r.event = 'monthly_top'
     order by r.given_at, r.period`.execute(db);
  return rows.map(({ period, memberId }) => [period, memberId]);
}
