import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql, transaction } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { advanceClock } from './advance-clock.ts';
import { expiringCodes } from './expiring-codes.ts';
import { PartlyFailed } from './job.ts';

const { db } = await service();

test('a code is told once, seven days before its last day, with that day and its benefit', async () => {
  const shop = await makeShopOfCodes();
  const member = await shop.member();
  await at(shop, '2027-03-01');
  const code = await shop.voucher(member, 'coffee'); // until 31 March
  await at(shop, '2027-03-23');
  assert.equal(await expiringCodes.run(db, shop.id), 0);
  assert.deepEqual(await toldOf(shop), []);
  await at(shop, '2027-03-24');
  assert.equal(await expiringCodes.run(db, shop.id), 1);
  assert.equal(await expiringCodes.run(db, shop.id), 0);
  await at(shop, '2027-03-26');
  assert.equal(await expiringCodes.run(db, shop.id), 0);

  const [told, ...others] = await toldOf(shop);
  assert.deepEqual(others, []);
  const { voucher_id, due_date, benefit_id, client_benefit_code } = told!.data;
  assert.equal(typeof voucher_id, 'number');
  assert.deepEqual([benefit_id, client_benefit_code], ['coffee', code]);
  assert.match(String(due_date), /^2027-03-31T10:0/);
});

test('what was used, given back or is over is not told, and a job that did not run for long tells the rest', async () => {
  const shop = await makeShopOfCodes();
  const member = await shop.member();
  await at(shop, '2027-03-01');
  const [used, kept] = [await shop.voucher(member, 'coffee'), await shop.voucher(member, 'coffee')];
  await at(shop, '2027-03-20');
  const later = await shop.voucher(member, 'coffee'); // until 19 April
  await shop.post('/v1/benefits/redeem', { client_benefit_code: used });
  await at(shop, '2027-03-24');
  assert.equal(await expiringCodes.run(db, shop.id), 1);
  await at(shop, '2027-04-15'); // three days late
  assert.equal(await expiringCodes.run(db, shop.id), 1);
  assert.deepEqual(
    (await toldOf(shop)).map(({ data }) => data['client_benefit_code']),
    [kept, later],
  );
});

test('a code that is issued with less than a week to go has no event of its own', async () => {
  const shop = await makeShopOfCodes({ valid_days: 3 });
  await at(shop, '2027-03-01');
  await expiringCodes.run(db, shop.id);
  await shop.voucher(await shop.member(), 'coffee');
  for (const day of ['2027-03-01', '2027-03-02', '2027-03-04']) {
    await at(shop, day);
    assert.equal(await expiringCodes.run(db, shop.id), 0);
  }
});

test('a sandbox whose clock moves on tells its codes on the way', async () => {
  const shop = await makeShopOfCodes();
  await at(shop, '2027-03-01');
  await shop.voucher(await shop.member(), 'coffee');
  const { jobs } = await advanceClock(db, shop.slug, '60d');
  assert.equal(jobs['expiring-codes'], 1);
  assert.deepEqual(
    (await toldOf(shop)).map(({ program_at }) => program_at.slice(0, 16)),
    ['2027-03-23T23:00'], // the first minute of the 24th in Madrid
  );
});

test('ten runs at once, and an erasure among them, tell each code of those who stay once', async () => {
  const shop = await makeShopOfCodes();
  await at(shop, '2027-03-01');
  const members = await Promise.all(Array.from({ length: 6 }, () => shop.member()));
  for (const member of members) for (let i = 0; i < 3; i++) await shop.voucher(member, 'coffee');
  await at(shop, '2027-03-25');
  await Promise.all([
    shop.erase(members[2]!),
    ...Array.from({ length: 10 }, () => expiringCodes.run(db, shop.id, { batch: 2 })),
  ]);
  // Of ten at once, each can have ended because another was ahead. The next round does the rest.
  await expiringCodes.run(db, shop.id, { batch: 2 });
  const told = (await toldOf(shop)).map(({ data }) => data['voucher_id']);
  assert.equal(new Set(told).size, told.length);
  assert.ok(told.length >= 15 && told.length <= 18, `${told.length} were told`);
});

test('a mark that is ahead stays where it is, and a code is told once all the same', async () => {
  const shop = await makeShopOfCodes();
  await at(shop, '2027-03-01');
  await shop.voucher(await shop.member(), 'coffee');
  for (const [day, told] of [
    ['2027-03-26', 1],
    ['2027-03-20', 0],
    ['2027-03-27', 0],
  ] as const) {
    await at(shop, day);
    assert.equal(await expiringCodes.run(db, shop.id), told);
  }
});

test('a code that is being redeemed is not told', async () => {
  const shop = await makeShopOfCodes();
  const member = await shop.member();
  await at(shop, '2027-03-01');
  const [redeemed, kept] = [await shop.voucher(member, 'coffee'), await shop.voucher(member, 'coffee')];
  await at(shop, '2027-03-25');
  await transaction(db, async (tx) => {
    await sql`select from vouchers where commerce_id = ${shop.id} and code = ${redeemed} for no key update`.execute(
      tx,
    );
    assert.equal(await expiringCodes.run(db, shop.id), 1);
  });
  assert.deepEqual(
    (await toldOf(shop)).map(({ data }) => data['client_benefit_code']),
    [kept],
  );
});

test('a code that cannot be told stops no other, and is named', async () => {
  const shop = await makeShopOfCodes();
  const members = [await shop.member(), await shop.member(), await shop.member()];
  await at(shop, '2027-03-01');
  for (const member of members) await shop.voucher(member, 'coffee');
  const broken = members[1]!.memberId;
  await sql`
    create function refuse_expiring() returns trigger language plpgsql as $$
      begin raise exception 'broken'; end $$`.execute(db);
  await sql`
    create trigger refuse_expiring before insert on happenings for each row
      when (new.type = 'voucher.expiring' and new.member_id = ${sql.raw(String(broken))}) execute function refuse_expiring()`.execute(
    db,
  );
  try {
    await at(shop, '2027-03-25');
    await assert.rejects(expiringCodes.run(db, shop.id), (error) => {
      assert.ok(error instanceof PartlyFailed);
      assert.deepEqual([error.done, error.broken.map(({ memberId }) => memberId)], [2, [broken]]);
      return true;
    });
  } finally {
    await sql`drop trigger refuse_expiring on happenings`.execute(db);
    await sql`drop function refuse_expiring`.execute(db);
  }
  assert.equal((await toldOf(shop)).length, 2);
  assert.equal(await expiringCodes.run(db, shop.id), 0);
});

function makeShopOfCodes({ valid_days = 30 } = {}): Promise<Shop> {
  return makeShop({ sandbox: true, benefits: [benefit('coffee', { cost: 0, valid_days })] });
}

async function at(shop: Shop, day: string): Promise<void> {
  await setClock(db, shop.id, new Date(`${day}T10:00:00Z`));
}

interface Told {
  readonly program_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function toldOf(shop: Shop): Promise<Told[]> {
  const { body } = await shop.get('/v1/events?limit=1000&types=voucher.expiring');
  return (body as { events: Told[] }).events;
}
