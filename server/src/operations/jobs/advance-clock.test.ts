import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { sql } from '#db/database.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { advanceClock, ClockRefused } from './advance-clock.ts';

test('everything that falls due on the way happens in order, each on its day', async () => {
  const { db } = await service();
  const shop = await makeShop({
    sandbox: true,
    points_expiration: { mode: 'rolling', months: 2 },
    levels: {
      valid_months: 3,
      ladder: [
        { name: 'One', threshold: 0 },
        { name: 'Two', threshold: 100 },
      ],
    },
    rewards: { birthday: { points: 10 }, monthly_top: { benefit: 'crown', settle_days: 3 } },
    benefits: [benefit('crown', { benefit_type: 'monthly_top', cost: 0 })],
  });
  await setClock(db, shop.id, new Date('2027-01-10T10:00:00Z'));
  const member = await shop.member();
  await sql`update members set birth_date = '1990-05-20', birth_date_set_at = now() - interval '9 years' where id = ${member.memberId}`.execute(
    db,
  );
  await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 100 });

  const { to, jobs } = await advanceClock(db, shop.slug, '400d');
  assert.equal(to.toISOString().slice(0, 13), '2028-02-14T10');
  assert.equal((await readCommerce(db, shop.id))?.today, '2028-02-14');
  // The points of January and of the birthday; the periods of Two, then of One every 3 months; one birthday, one
  // month.
  assert.deepEqual(jobs, {
    'pending-points': 0,
    'expire-points': 2,
    'expire-tiers': 4,
    birthdays: 1,
    'monthly-top': 1,
    reminders: 0,
    'expiring-codes': 0,
    reports: 0,
    retention: 0,
    seal: 0,
    verify: 0,
  });
  const { rows } = await sql<{ type: string; on: string; points: number }>`
    select type, (at at time zone 'Europe/Madrid')::date as on, points
      from movements where commerce_id = ${shop.id} order by id`.execute(db);
  assert.deepEqual(
    rows.map(({ type, on, points }) => [type, on, points]),
    [
      ['purchase', '2027-01-10', 100],
      ['expiry', '2027-03-10', -100],
      ['reward', '2027-05-20', 10],
      ['expiry', '2027-07-20', -10],
    ],
  );
  const { rows: crowns } = await sql<{ on: string }>`
    select (issued_at at time zone 'Europe/Madrid')::date as on from vouchers where commerce_id = ${shop.id}`.execute(
    db,
  );
  assert.deepEqual(
    crowns.map((row) => row.on),
    ['2027-02-04'],
  );
  await assertBooksAgree(db, shop.id);
});

test('points that wait until a day begins elsewhere do not hold up the clock', async () => {
  const { db } = await service();
  const pending = { earning: { money_per_point: 1, pending: { days: 2 } } };
  const shop = await makeShop({ sandbox: true, time_zone: 'America/New_York', ...pending });
  await setClock(db, shop.id, new Date('2027-01-10T15:00:00Z'));
  const member = await shop.member();
  await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 100 });
  await shop.apply({ sandbox: true, time_zone: 'UTC', ...pending });
  const { to, jobs } = await advanceClock(db, shop.slug, '10d');
  assert.deepEqual([to.toISOString().slice(0, 13), jobs['pending-points']], ['2027-01-20T15', 1]);
  await assertBooksAgree(db, shop.id);
});

test('reminders that the message itself switches on are sent on the way', async () => {
  const { db } = await service();
  const shop = await makeShop({
    sandbox: true,
    points_expiration: { mode: 'rolling', months: 2 },
    mail: { reminders: false, messages: { expiring: true } },
  });
  await setClock(db, shop.id, new Date('2027-01-10T10:00:00Z'));
  const member = await shop.member();
  await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 100 });
  const { jobs } = await advanceClock(db, shop.slug, '90d');
  assert.equal(jobs.reminders, 2);
});

const durations: [duration: string, from: string, to: string][] = [
  ['1 month', '2027-01-31T10:00:00Z', '2027-02-28T10:00:00Z'],
  ['13 months', '2027-01-15T10:00:00Z', '2028-02-15T10:00:00Z'],
  ['2 weeks', '2027-03-20T10:00:00Z', '2027-04-03T09:00:00Z'], // summer time starts in Madrid: same local time
  ['36h', '2027-03-27T10:00:00Z', '2027-03-28T22:00:00Z'], // hours are not affected by summer time
  ['1y', '2028-02-29T10:00:00Z', '2029-02-28T10:00:00Z'],
];
for (const [duration, from, to] of durations) {
  test(`${from} plus ${duration} is ${to}`, async () => {
    const { db } = await service();
    const shop = await makeShop({ sandbox: true });
    await setClock(db, shop.id, new Date(from));
    const advanced = await advanceClock(db, shop.slug, duration);
    assert.ok(Math.abs(advanced.to.getTime() - Date.parse(to)) < 5_000);
    assert.ok(Math.abs((await nowOf(shop)).getTime() - Date.parse(to)) < 5_000);
  });
}

for (const duration of ['-1d', '0d', 'tomorrow', '5', '99999 years', '']) {
  test(`"${duration}" is refused and the clock does not move`, async () => {
    const { db } = await service();
    const shop = await makeShop({ sandbox: true });
    const before = await nowOf(shop);
    await assert.rejects(advanceClock(db, shop.slug, duration), ClockRefused);
    assert.ok((await nowOf(shop)).getTime() - before.getTime() < 5_000);
  });
}

test('the clock of a commerce with real members cannot be moved', async () => {
  const { db } = await service();
  const shop = await makeShop();
  await assert.rejects(advanceClock(db, shop.slug, '1d'), ClockRefused);
  await assert.rejects(advanceClock(db, 'nobody', '1d'), ClockRefused);
});

test('concurrent advances never move the clock back', async () => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true });
  const [far] = await Promise.all([
    advanceClock(db, shop.slug, '30d'),
    advanceClock(db, shop.slug, '1d'),
    advanceClock(db, shop.slug, '2d'),
  ]);
  assert.ok((await nowOf(shop)) >= far.to);
});

async function nowOf(shop: Shop): Promise<Date> {
  return (await readCommerce((await service()).db, shop.id))!.now;
}
