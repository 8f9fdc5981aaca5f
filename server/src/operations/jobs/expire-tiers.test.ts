import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql, transaction } from '#db/database.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { findMember } from '#members/lock-members.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { expireTiers } from './expire-tiers.ts';

const LADDER = [
  { name: 'Bronze', threshold: 0 },
  { name: 'Silver', threshold: 100, points_multiplier: 2, benefit: 'gift' },
];
const YEARLY = {
  sandbox: true,
  levels: { valid_months: 12, ladder: LADDER },
  benefits: [benefit('gift', { benefit_type: 'level', cost: 0 })],
};

test('the end of a period is stored as readers saw it, and its benefit is never given twice', async () => {
  const { db } = await service();
  const shop = await makeShop(YEARLY);
  await at(shop, '2026-12-01');
  const member = await shop.member();
  await at(shop, '2027-01-10');
  await buy(shop, member, 100);
  assert.deepEqual(await tierOf(shop, member), ['silver', '2028-01-10']);
  assert.equal(await gifts(shop), 1);

  await at(shop, '2028-01-10');
  assert.equal(await expireTiers.run(db, shop.id), 0);
  await at(shop, '2028-01-11');
  assert.ok((await expireTiers.due(db)).includes(shop.id));
  assert.equal(await expireTiers.run(db, shop.id), 1);
  assert.deepEqual(await tierOf(shop, member), ['bronze', '2029-01-10']);
  assert.equal(await expireTiers.run(db, shop.id), 0);

  await buy(shop, member, 100); // Silver again
  assert.equal((await tierOf(shop, member))[0], 'silver');
  assert.equal(await gifts(shop), 1);
});

test('a tier that is earned again in its period is renewed', async () => {
  const { db } = await service();
  const shop = await makeShop(YEARLY);
  await at(shop, '2027-01-10');
  const member = await shop.member();
  await buy(shop, member, 100);
  await buy(shop, member, 50); // doubled: 100
  await at(shop, '2028-02-01');
  await expireTiers.run(db, shop.id);
  assert.deepEqual(await tierOf(shop, member), ['silver', '2029-01-10']);
});

for (const away of ['leave', 'block'] as const) {
  test(`the tier of a member stands still from when they ${away}, before the job and after it`, async () => {
    const { db } = await service();
    const shop = await makeShop(YEARLY);
    await at(shop, '2027-01-10');
    const member = await shop.member();
    await buy(shop, member, 100);
    await at(shop, '2027-06-01');
    await shop[away](member);
    const browser = await shop.browser(member);
    const asTheyWent = (await browser.get('/v1/me/level')).body as { expiration_date: string | null };
    assert.notEqual(asTheyWent.expiration_date, null);
    // Once its day has passed, that day decides nothing any more.
    asTheyWent.expiration_date = null;

    await at(shop, '2029-03-01');
    assert.deepEqual((await browser.get('/v1/me/level')).body, asTheyWent);
    assert.equal(await expireTiers.run(db, shop.id), 0);
    assert.ok(!(await expireTiers.due(db)).includes(shop.id));
    assert.deepEqual((await browser.get('/v1/me/level')).body, asTheyWent);
    assert.deepEqual(await tierOf(shop, member), ['silver', '2028-01-10']);
  });
}

test('a tier that ended before its member left has ended, though the job runs after', async () => {
  const { db } = await service();
  const shop = await makeShop(YEARLY);
  await at(shop, '2027-01-10');
  const member = await shop.member();
  await buy(shop, member, 100);
  await at(shop, '2028-01-11');
  await shop.leave(member);
  const browser = await shop.browser(member);
  const { body } = await browser.get('/v1/me/level');
  assert.equal((body as { name: string }).name, 'Bronze');
  await expireTiers.run(db, shop.id);
  assert.deepEqual((await browser.get('/v1/me/level')).body, body);
});

test('a member who comes back is settled as of then', async () => {
  const { db } = await service();
  const shop = await makeShop(YEARLY);
  await at(shop, '2027-01-10');
  const member = await shop.member();
  await buy(shop, member, 100);
  await shop.leave(member);
  await at(shop, '2029-03-01');
  await transaction(db, (tx) => enrolMember(tx, shop.id, member.email));
  assert.deepEqual(await tierOf(shop, member), ['bronze', '2030-01-10']);
});

test('a month-long tier from the 31st ends on the last day of a shorter month, and on the 31st again', async () => {
  const { db } = await service();
  const shop = await makeShop({
    ...YEARLY,
    levels: { valid_months: 1, ladder: [{ name: 'Bronze', threshold: 0 }] },
  });
  await at(shop, '2027-01-31');
  const member = await shop.member();
  const browser = await shop.browser(member);
  const ends = [];
  for (const day of ['2027-02-10', '2027-03-10', '2027-04-10', '2027-05-10', '2027-06-10']) {
    await at(shop, day);
    if (day !== '2027-04-10') await expireTiers.run(db, shop.id);
    const { expiration_date } = (await browser.get('/v1/me/level')).body as { expiration_date: string };
    ends.push(expiration_date.slice(0, 10));
  }
  // The ends of local days in Madrid.
  assert.deepEqual(ends, ['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31', '2027-06-30']);
});

async function at(shop: Shop, day: string): Promise<void> {
  await setClock((await service()).db, shop.id, new Date(`${day}T10:00:00Z`));
}

async function buy(shop: Shop, member: MadeMember, amount: number): Promise<void> {
  const answer = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount });
  assert.equal(answer.status, 201);
}

async function tierOf(shop: Shop, member: MadeMember): Promise<[string | null, string | null]> {
  const found = await findMember((await service()).db, { commerceId: shop.id, code: member.code });
  return [found!.standing.tierId, found!.standing.expiresOn];
}

async function gifts(shop: Shop): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from vouchers where commerce_id = ${shop.id} and source = 'level'`.execute(
    (await service()).db,
  );
  return rows[0]!.count;
}
