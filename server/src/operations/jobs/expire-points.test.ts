import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql } from '#db/database.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { expirePoints } from './expire-points.ts';

const ROLLING = { sandbox: true, points_expiration: { mode: 'rolling', months: 2 } };

test('an expiry is recorded once, dated at the end of its day, and changes no balance', async () => {
  const { db } = await service();
  const shop = await makeShop(ROLLING);
  const member = await shop.member();
  for (const [day, amount] of [
    ['2027-01-10', 30],
    ['2027-01-20', 40],
    ['2027-03-01', 50],
  ] as const) {
    await at(shop, day);
    await buy(shop, member, amount);
  }
  await at(shop, '2027-03-25');
  assert.equal(await pointsOf(shop, member), 50);
  assert.ok((await expirePoints.due(db)).includes(shop.id));

  assert.equal(await expirePoints.run(db, shop.id), 1);
  assert.equal(await pointsOf(shop, member), 50);
  assert.equal(await expirePoints.run(db, shop.id), 0);
  assert.ok(!(await expirePoints.due(db)).includes(shop.id));
  const { rows } = await sql<{ at: Date; points: number }>`
    select at, points from movements where commerce_id = ${shop.id} and type = 'expiry' order by id`.execute(
    db,
  );
  assert.deepEqual(
    rows.map(({ at, points }) => [at.toISOString(), points]),
    [
      ['2027-03-10T22:59:59.999Z', -30], // Madrid is an hour ahead of UTC
      ['2027-03-20T22:59:59.999Z', -40],
    ],
  );
  await assertBooksAgree(db, shop.id);
});

test('nothing expires on the last day yet', async () => {
  const { db } = await service();
  const shop = await makeShop(ROLLING);
  await at(shop, '2027-01-10');
  await buy(shop, await shop.member(), 30);
  await setClock(db, shop.id, new Date('2027-03-10T22:50:00Z'));
  assert.equal(await expirePoints.run(db, shop.id), 0);
  await setClock(db, shop.id, new Date('2027-03-10T23:00:00Z'));
  assert.equal(await expirePoints.run(db, shop.id), 1);
});

test('many members are processed in small batches, also by two concurrent runs, while they go on buying', async () => {
  const { db } = await service();
  const shop = await makeShop(ROLLING);
  await at(shop, '2027-01-10');
  const members = await Promise.all(Array.from({ length: 25 }, () => shop.member()));
  for (const member of members) await buy(shop, member, 10);
  await at(shop, '2027-06-01');
  const counts = await Promise.all([
    expirePoints.run(db, shop.id, { batch: 4 }),
    expirePoints.run(db, shop.id, { batch: 3 }),
    ...members.map(async (member) => {
      await buy(shop, member, 5);
      return 0;
    }),
  ]);
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    25,
  );
  for (const member of members) assert.equal(await pointsOf(shop, member), 5);
  await assertBooksAgree(db, shop.id);
});

async function at(shop: Shop, day: string): Promise<void> {
  await setClock((await service()).db, shop.id, new Date(`${day}T10:00:00Z`));
}

async function buy(shop: Shop, member: MadeMember, amount: number): Promise<void> {
  const answer = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount });
  assert.equal(answer.status, 201);
}

async function pointsOf(shop: Shop, member: MadeMember): Promise<unknown> {
  return ((await shop.get(`/v1/clients/${member.code}`)).body as { points: number }).points;
}
