import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql } from '#db/database.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';
import { birthdays } from './birthdays.ts';

test('a birthday is rewarded on its local day, once a year, even if the date is changed', async () => {
  const { db } = await service();
  const shop = await makeShop(rewarding({ points: 25 }));
  const member = await shop.member();
  await born(shop, member, '1990-05-10', '2026-01-01');
  await at(shop, '2027-05-09T21:59:00Z'); // 23:59 in Madrid
  assert.equal(await birthdays.run(db, shop.id), 0);
  await at(shop, '2027-05-09T22:00:00Z');
  assert.equal(await birthdays.run(db, shop.id), 1);
  assert.equal(await birthdays.run(db, shop.id), 0);
  assert.equal(await pointsOf(shop, member), 25);

  await born(shop, member, '1990-07-01', '2027-06-01');
  await at(shop, '2027-07-01T10:00:00Z');
  assert.equal(await birthdays.run(db, shop.id), 0);
  await at(shop, '2028-07-03T10:00:00Z');
  assert.equal(await birthdays.run(db, shop.id), 1);
  assert.equal(await pointsOf(shop, member), 50);
  await assertBooksAgree(db, shop.id);
});

test('twenty concurrent runs give each member one benefit', async () => {
  const { db } = await service();
  const shop = await makeShop(rewarding({ benefit: 'cake' }));
  const members = await Promise.all(Array.from({ length: 5 }, () => shop.member()));
  for (const member of members) await born(shop, member, '1990-02-28', '2026-01-01');
  await at(shop, '2027-03-01T10:00:00Z');
  const counts = await Promise.all(
    Array.from({ length: 20 }, () => birthdays.run(db, shop.id, { batch: 2 })),
  );
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    5,
  );
  const { rows } = await sql`select 1 from vouchers where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 5);
});

test('a member who has left or is blocked gets no reward', async () => {
  const { db } = await service();
  const shop = await makeShop(rewarding({ points: 25 }));
  const [left, blocked] = [await shop.member(), await shop.member()];
  for (const member of [left, blocked]) await born(shop, member, '1990-05-10', '2026-01-01');
  await sql`update members set state = 'left', left_at = now() where id = ${left.memberId}`.execute(db);
  await sql`update members set blocked_at = now() where id = ${blocked.memberId}`.execute(db);
  await at(shop, '2027-05-10T10:00:00Z');
  assert.equal(await birthdays.run(db, shop.id), 0);
});

test('a birthday before the reward was announced is not rewarded, and one on the same day is', async () => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true, clock: '2027-05-01T10:00:00Z' });
  const [before, on] = [await shop.member(), await shop.member()];
  await born(shop, before, '1990-05-09', '2027-05-01');
  await born(shop, on, '1990-05-10', '2027-05-01');
  await at(shop, '2027-05-10T10:00:00Z');
  await shop.apply(rewarding({ points: 25 }));
  assert.equal(await birthdays.run(db, shop.id), 1);
  assert.deepEqual([await pointsOf(shop, before), await pointsOf(shop, on)], [0, 25]);
});

test('two birthday rewards of a member are at least 300 days apart, even if the date is changed', async () => {
  const { db } = await service();
  const shop = await makeShop({ clock: '2026-12-01T10:00:00Z', ...rewarding({ points: 25 }) });
  const member = await shop.member();
  await born(shop, member, '1990-12-30', '2026-12-02');
  await at(shop, '2026-12-30T10:00:00Z');
  assert.equal(await birthdays.run(db, shop.id), 1);
  await born(shop, member, '1990-01-02', '2026-12-31');
  await at(shop, '2027-01-02T10:00:00Z');
  assert.equal(await birthdays.run(db, shop.id), 0);

  // 300 days after 30 December is 26 October.
  await born(shop, member, '1990-10-25', '2027-02-01');
  await at(shop, '2027-10-25T10:00:00Z');
  assert.equal(await birthdays.run(db, shop.id), 0);
  await at(shop, '2027-10-26T10:00:00Z');
  assert.equal(await birthdays.run(db, shop.id), 1);
  assert.equal(await pointsOf(shop, member), 50);
});

test('changing the birth date while many runs are under way never brings two rewards', async () => {
  const { db } = await service();
  const shop = await makeShop({ clock: '2026-12-01T10:00:00Z', ...rewarding({ points: 25 }) });
  const member = await shop.member();
  await born(shop, member, '1990-12-31', '2026-12-02');
  await at(shop, '2027-01-02T10:00:00Z');
  const edits = ['1990-01-02', '1990-12-31', '1990-01-01', '1990-12-30'];
  await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      await born(shop, member, edits[i % edits.length]!, '2026-12-02');
      await birthdays.run(db, shop.id);
    }),
  );
  assert.equal(await pointsOf(shop, member), 25);
});

function rewarding(birthday: object): ProgramFields {
  const cake = benefit('cake', { benefit_type: 'birthday', cost: 0 });
  return { sandbox: true, rewards: { birthday }, benefits: 'benefit' in birthday ? [cake] : [] };
}

async function at(shop: Shop, instant: string): Promise<void> {
  await setClock((await service()).db, shop.id, new Date(instant));
}

async function born(shop: Shop, member: MadeMember, day: string, entered: string): Promise<void> {
  await sql`
    update members set birth_date = ${day}, birth_date_set_at = ${new Date(`${entered}T10:00:00Z`)}
     where commerce_id = ${shop.id} and id = ${member.memberId}`.execute((await service()).db);
}

async function pointsOf(shop: Shop, member: MadeMember): Promise<unknown> {
  return ((await shop.get(`/v1/clients/${member.code}`)).body as { points: number }).points;
}
