import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { advanceClock } from './advance-clock.ts';
import { reminders } from './reminders.ts';

const ROLLING = { sandbox: true, points_expiration: { mode: 'rolling', months: 3 } };

test('members are reminded 30 and 7 days before points expire, once each', async () => {
  const { db } = await service();
  const shop = await makeShop({ ...ROLLING, mail: { reminders: true } });
  const member = await shop.member();
  await buy(shop, member, '2027-01-31', 40); // valid until 30 April
  await at(shop, '2027-03-30');
  assert.equal(await reminders.run(db, shop.id), 0);
  await at(shop, '2027-03-31');
  assert.equal(await reminders.run(db, shop.id), 1);
  assert.equal(await reminders.run(db, shop.id), 0);
  await at(shop, '2027-04-25'); // two days late
  assert.equal(await reminders.run(db, shop.id), 1);
  await at(shop, '2027-04-30');
  assert.equal(await reminders.run(db, shop.id), 0);
  assert.deepEqual(await mailsOf(shop), [
    { recipient: member.email, content: { points: 40, expiresOn: '2027-04-30', daysLeft: 30 } },
    { recipient: member.email, content: { points: 40, expiresOn: '2027-04-30', daysLeft: 5 } },
  ]);
});

test('a member who earns every day is reminded once a week, about the next points to expire', async () => {
  const { db } = await service();
  const shop = await makeShop({ ...ROLLING, mail: { reminders: true } });
  const member = await shop.member();
  for (let day = 10; day < 24; day++) await buy(shop, member, `2027-01-${day}`, 1);
  await at(shop, '2027-03-01');
  await advanceClock(db, shop.slug, '23d'); // 30 days before the expiry: 11 to 24 March
  const mails = (await mailsOf(shop)) as { content: { expiresOn: string } }[];
  assert.deepEqual(
    mails.map((mail) => mail.content.expiresOn),
    ['2027-04-10', '2027-04-11'],
  );
});

test('nobody is reminded if the program does not ask for it, and neither are members who have left', async () => {
  const { db } = await service();
  for (const [asks, leaves] of [
    [false, false],
    [true, true],
  ]) {
    const shop = await makeShop({ ...ROLLING, mail: { reminders: asks } });
    const member = await shop.member();
    await buy(shop, member, '2027-01-31', 40);
    if (leaves)
      await sql`update members set state = 'left', left_at = now() where id = ${member.memberId}`.execute(db);
    await at(shop, '2027-04-25');
    assert.equal(await reminders.run(db, shop.id), 0);
  }
});

test('ten concurrent runs remind each member once', async () => {
  const { db } = await service();
  const shop = await makeShop({ ...ROLLING, mail: { reminders: true } });
  for (let i = 0; i < 5; i++) await buy(shop, await shop.member(), '2027-01-31', 40);
  await at(shop, '2027-04-25');
  await Promise.all(Array.from({ length: 10 }, () => reminders.run(db, shop.id, { batch: 2 })));
  assert.equal((await mailsOf(shop)).length, 5);
});

async function at(shop: Shop, day: string): Promise<void> {
  await setClock((await service()).db, shop.id, new Date(`${day}T10:00:00Z`));
}

async function buy(shop: Shop, member: MadeMember, day: string, amount: number): Promise<void> {
  await at(shop, day);
  const answer = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount });
  assert.equal(answer.status, 201);
}

async function mailsOf(shop: Shop): Promise<unknown[]> {
  const { rows } = await sql<object>`
    select recipient, content from outbox
     where commerce_id = ${shop.id} and kind = 'expiry-reminder' order by id`.execute((await service()).db);
  return rows.map((row) => ({ ...row }));
}
