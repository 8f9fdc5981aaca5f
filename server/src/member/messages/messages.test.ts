import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql } from '#db/database.ts';
import { birthdays } from '#jobs/birthdays.ts';
import { monthlyTop } from '#jobs/monthly-top.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { someone } from '#test/sign-in.ts';

const { db } = await service();

const all = { invitation: true, welcome: true, expiring: true, birthday: true, level: true, reward: true };
const levels = {
  ladder: [
    { name: 'Bronze', threshold: 0 },
    { name: 'Silver', threshold: 100, points_multiplier: 1.5, benefit: 'gift' },
    { name: 'Gold', threshold: 500 },
  ],
};
const gift = benefit('gift', { benefit_type: 'level', cost: 0, title: 'A coffee' });

test('a program that says nothing about messages sends what it sent before: invitations and nothing else', async () => {
  const shop = await makeShop({ levels, benefits: [gift], rewards: { welcome: { points: 5 } } });
  const member = await shop.member();
  await shop.sell(member, 200);
  const stranger = someone();
  await shop.post('/v1/consumptions/email', { client_email: stranger, amount: 42 });
  assert.deepEqual(await mailsOf(shop), [['invitation', stranger, { points: 42 }]]);
});

test('switched off, no invitation is sent, and switched on again, the next purchase sends it', async () => {
  const off = { mail: { messages: { invitation: false } } };
  const shop = await makeShop(off);
  const stranger = someone();
  const buy = () => shop.post('/v1/consumptions/email', { client_email: stranger, amount: 10 });
  await buy();
  assert.deepEqual(await mailsOf(shop), []);
  await shop.apply({});
  await buy();
  assert.deepEqual(await mailsOf(shop), [['invitation', stranger, { points: 20 }]]);
});

test('who joins is welcomed once, with the reward, and not again after leaving', async () => {
  const shop = await makeShop({ mail: { messages: all }, rewards: { welcome: { points: 50 } } });
  const member = await shop.member();
  const welcome = ['welcome', member.email, { points: 50, benefit: null, balance: 50 }];
  assert.deepEqual(await mailsOf(shop), [welcome]);
  await shop.leave(member);
  await (await shop.browser(member)).post('/v1/me/subscription');
  assert.deepEqual(await mailsOf(shop), [welcome]);
});

test('a member is told once of the highest tier that a purchase reached, and of what came with it', async () => {
  const shop = await makeShop({ mail: { messages: { level: true } }, levels, benefits: [gift] });
  const member = await shop.member();
  await shop.sell(member, 99);
  assert.deepEqual(await mailsOf(shop), []);
  await shop.sell(member, 1);
  const silver = [
    'level',
    member.email,
    { level: 'Silver', multiplierThousandths: 1500, benefit: 'A coffee' },
  ];
  assert.deepEqual(await mailsOf(shop), [silver]);
  await shop.sell(member, 10);
  assert.deepEqual(await mailsOf(shop), [silver]);
  const other = await shop.member();
  await shop.sell(other, 1000);
  assert.deepEqual(await mailsOf(shop), [
    silver,
    ['level', other.email, { level: 'Gold', multiplierThousandths: 1000, benefit: null }],
  ]);
});

test('many purchases of many members at once tell each member once', async () => {
  const shop = await makeShop({ mail: { messages: { level: true } }, levels, benefits: [gift] });
  const members = await Promise.all(Array.from({ length: 6 }, () => shop.member()));
  await Promise.all(members.flatMap((member) => Array.from({ length: 5 }, () => shop.sell(member, 30))));
  const told = await mailsOf(shop);
  assert.deepEqual(
    told.map(([kind, recipient]) => `${kind} ${recipient}`).toSorted(),
    members.map(({ email }) => `level ${email}`).toSorted(),
  );
});

test('a purchase that is refused or repeated tells nobody twice', async () => {
  const shop = await makeShop({ mail: { messages: { level: true } }, levels, benefits: [gift] });
  const member = await shop.member();
  const key = { 'idempotency-key': 'one' };
  const buy = () => shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 100 }, key);
  await Promise.all([buy(), buy(), buy()]);
  assert.equal((await mailsOf(shop)).length, 1);
});

test('a birthday and the reward of the month are told with what was given', async () => {
  const shop = await makeShop({
    sandbox: true,
    clock: '2027-01-01T10:00:00Z',
    mail: { messages: all },
    benefits: [benefit('cake', { benefit_type: 'birthday', cost: 0, title: 'A cake' })],
    rewards: { birthday: { benefit: 'cake' }, monthly_top: { points: 100, settle_days: 0 } },
  });
  const member = await shop.member();
  await sql`
    update members set birth_date = '1990-02-02', birth_date_set_at = '2027-01-01'
     where commerce_id = ${shop.id}`.execute(db);
  await setClock(db, shop.id, new Date('2027-02-02T10:00:00Z'));
  await shop.sell(member, 10);
  await birthdays.run(db, shop.id);
  await birthdays.run(db, shop.id);
  await setClock(db, shop.id, new Date('2027-03-02T10:00:00Z'));
  await monthlyTop.run(db, shop.id);
  await monthlyTop.run(db, shop.id);
  assert.deepEqual((await mailsOf(shop)).slice(1), [
    ['birthday', member.email, { points: null, benefit: 'A cake' }],
    ['reward', member.email, { points: 100, benefit: null, month: '2027-02' }],
  ]);
});

/** The mails of a shop, in the order in which they were written. */
async function mailsOf({ id }: Shop): Promise<[string, string, object][]> {
  const { rows } = await sql<{ kind: string; recipient: string; content: object }>`
    select kind, recipient, content from outbox where commerce_id = ${id} order by id`.execute(db);
  return rows.map(({ kind, recipient, content }) => [kind, recipient, content]);
}
