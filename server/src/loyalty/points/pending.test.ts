/** Points that wait: they are no part of a balance before their instant, and a part of it from then on, whether or not a job has run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql, transaction } from '#db/database.ts';
import { runJob } from '#jobs/run-jobs.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { assertBooksAgree } from '#test/books.ts';
import { countingDatabase } from '#test/count-statements.ts';
import { earlier } from '#test/earlier.ts';
import { service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';
import { withoutSetting } from '#test/on-cluster.ts';

const { db } = await service();

const DAYS = { money_per_point: 1, pending: { days: 14 } };
const CONFIRMED = { money_per_point: 1, pending: { until: 'confirmed', cancel_after_days: 30 } };

test('points of a purchase can be spent from the beginning of their day on, and not a moment before', async () => {
  const { shop, member, buy, balance } = await make({ earning: DAYS, benefits: [benefit('coffee')] });
  await at(shop, '2027-03-01T15:00:00Z');
  const bought = await buy(40);
  assert.deepEqual(
    ['x-points-earned', 'x-points-waiting', 'x-points-balance'].map((name) => bought.headers.get(name)),
    ['40', '40', '0'],
  );
  const browser = await shop.browser(member);
  assert.deepEqual((await browser.get('/v1/me/points/pending')).body, [
    { points: 40, available_at: '2027-03-15T00:00:00.000Z' },
  ]);
  await at(shop, '2027-03-14T23:59:59Z');
  assert.equal(await balance(), 0);
  const refused = await exchange(browser, 'coffee');
  assert.equal(refused.status, 400);
  await at(shop, '2027-03-15T00:00:00Z');
  assert.equal(await balance(), 40);
  assert.equal(((await browser.get('/v1/me')).body as { points: number }).points, 40);
  assert.deepEqual((await browser.get('/v1/me/points/pending')).body, []);
  assert.equal((await exchange(browser, 'coffee')).status, 200);
  assert.equal(await balance(), 30);
  await assertBooksAgree(db, shop.id);
  assert.equal(await runJob(db, 'pending-points', shop.id).then(({ members }) => members), 0);
});

test('the job writes what became available, dated at its instant, and no balance changes by it', async () => {
  const { shop, member, buy, balance } = await make({ earning: DAYS });
  await at(shop, '2027-03-01T15:00:00Z');
  await buy(40);
  await at(shop, '2027-03-20T10:00:00Z');
  assert.equal(await balance(), 40);
  assert.equal((await runJob(db, 'pending-points', shop.id)).members, 1);
  assert.equal(await balance(), 40);
  assert.deepEqual(await movementsOf(member), [
    ['purchase', 0, 40],
    ['available', 40, 0],
  ]);
  const { rows } = await sql<{ at: Date }>`
    select at from movements where member_id = ${member.memberId} and type = 'available'`.execute(db);
  assert.equal(rows[0]!.at.toISOString(), '2027-03-15T00:00:00.000Z');
  assert.equal((await runJob(db, 'pending-points', shop.id)).members, 0);
  await assertBooksAgree(db, shop.id);
});

test('in rolling mode, points expire counted from the day on which they became available', async () => {
  const { shop, member, buy, balance } = await make({
    earning: DAYS,
    points_expiration: { mode: 'rolling', months: 2 },
  });
  await at(shop, '2027-03-01T15:00:00Z');
  await buy(40);
  await at(shop, '2027-03-16T10:00:00Z');
  assert.deepEqual(await datesOf(shop, member), [[40, '2027-05-15']]);
  // Nobody has written anything: the points become available, expire, and both are told.
  await at(shop, '2027-05-16T00:00:00Z');
  assert.equal(await balance(), 0);
  await runJob(db, 'expire-points', shop.id);
  await runJob(db, 'pending-points', shop.id);
  await runJob(db, 'expire-points', shop.id);
  assert.deepEqual(await movementsOf(member), [
    ['purchase', 0, 40],
    ['available', 40, 0],
    ['expiry', -40, 0],
  ]);
  await assertBooksAgree(db, shop.id);
});

test('in accumulated mode, the purchase moves the date on its own day, and what waited takes the date of its own', async () => {
  const { shop, member, buy } = await make({
    earning: { money_per_point: 1 },
    points_expiration: { mode: 'accumulated', months: 2 },
  });
  await at(shop, '2027-01-10T15:00:00Z');
  await buy(5);
  await shop.apply({
    sandbox: true,
    time_zone: 'UTC',
    earning: DAYS,
    points_expiration: { mode: 'accumulated', months: 2 },
  });
  await at(shop, '2027-02-01T15:00:00Z');
  await buy(40);
  assert.deepEqual(await datesOf(shop, member), [[5, '2027-04-01']]);
  await at(shop, '2027-02-16T15:00:00Z');
  assert.deepEqual(await datesOf(shop, member), [[45, '2027-04-01']]);
  await assertBooksAgree(db, shop.id);
});

test('in accumulated mode, a date that is past when the points become available starts anew', async () => {
  const { shop, member, buy } = await make({
    earning: { money_per_point: 1, pending: { days: 60 } },
    points_expiration: { mode: 'accumulated', months: 1 },
  });
  await at(shop, '2027-01-10T15:00:00Z');
  await buy(40);
  await at(shop, '2027-03-12T15:00:00Z');
  assert.deepEqual(await datesOf(shop, member), [[40, '2027-04-11']]);
  await runJob(db, 'pending-points', shop.id);
  assert.deepEqual(await datesOf(shop, member), [[40, '2027-04-11']]);
  await assertBooksAgree(db, shop.id);
});

test('a return takes what waits first, in pieces that add up, and then what is available', async () => {
  const { shop, member, buy, balance, reverse } = await make({ earning: DAYS });
  await at(shop, '2027-03-01T15:00:00Z');
  const first = await buy(40);
  assert.deepEqual(await reverse(first, 15), { message: 'consumption reversed', amount: 15, points: 15 });
  await at(shop, '2027-03-15T15:00:00Z');
  assert.equal(await balance(), 25);
  assert.deepEqual(await reverse(first), { message: 'consumption reversed', amount: 25, points: 25 });
  assert.equal(await balance(), 0);
  const second = await buy(10);
  await reverse(second);
  await at(shop, '2027-04-15T15:00:00Z');
  assert.equal(await balance(), 0);
  assert.deepEqual(await lifetime(member), [0, 0, 0]);
  await assertBooksAgree(db, shop.id);
});

test('points that become available pay a debt first', async () => {
  const { shop, buy, balance, reverse, member } = await make({
    earning: { money_per_point: 1 },
    benefits: [benefit('coffee')],
    points_expiration: { mode: 'rolling', months: 2 },
  });
  await at(shop, '2027-03-01T15:00:00Z');
  const spent = await buy(10);
  await shop.voucher(member, 'coffee');
  await shop.apply({
    sandbox: true,
    time_zone: 'UTC',
    earning: DAYS,
    benefits: [benefit('coffee')],
    points_expiration: { mode: 'rolling', months: 2 },
  });
  await buy(40);
  await reverse(spent);
  assert.equal(await balance(), -10);
  await at(shop, '2027-03-15T15:00:00Z');
  assert.equal(await balance(), 30);
  assert.deepEqual(await datesOf(shop, member), [[30, '2027-05-15']]);
  await at(shop, '2027-05-20T15:00:00Z');
  assert.equal(await balance(), 0, 'the debt was paid before the rest expired');
  await runJob(db, 'pending-points', shop.id);
  await runJob(db, 'expire-points', shop.id);
  assert.equal(await balance(), 0);
  await assertBooksAgree(db, shop.id);
});

test('a shop confirms a purchase once or many times; after it was cancelled it is too late', async () => {
  const { shop, buy, balance, confirm, member } = await make({ earning: CONFIRMED });
  await at(shop, '2027-03-01T15:00:00Z');
  const [kept, lost] = [await buy(40), await buy(7)];
  assert.equal(await balance(), 0);
  for (let again = 0; again < 2; again += 1) {
    const { status, body } = await confirm(kept);
    assert.deepEqual(
      [status, body],
      [200, { message: 'consumption confirmed', points_waiting: 0, points_balance: 40 }],
    );
  }
  await at(shop, '2027-03-31T00:00:00Z');
  const tooLate = await confirm(lost);
  assert.deepEqual([tooLate.status, tooLate.headers.get('x-error-code')], [400, 'unconfirmed']);
  assert.deepEqual(await lifetime(member), [47, 47, 2]);
  assert.equal((await runJob(db, 'pending-points', shop.id)).members, 1);
  assert.deepEqual(await lifetime(member), [40, 40, 1]);
  assert.equal((await confirm(lost)).status, 400);
  assert.equal((await confirm(kept)).status, 200);
  assert.equal(await balance(), 40);
  assert.deepEqual(await activityOf(shop, member), [
    ['consumption', -7, -7, 'The purchase of Mar 1, 2027 was not confirmed'],
    ['consumption', 7, 7, null],
    ['consumption', 40, 40, null],
  ]);
  await assertBooksAgree(db, shop.id);
});

test('the line of a purchase says from which day on its points can be spent, or that they wait for the shop', async () => {
  const { shop, buy, member } = await make({ earning: DAYS });
  await at(shop, '2027-03-01T15:00:00Z');
  await buy(40);
  assert.deepEqual(await activityOf(shop, member), [
    ['consumption', 40, 40, 'Can be spent from Mar 15, 2027'],
  ]);
  await shop.apply({ sandbox: true, time_zone: 'UTC', earning: CONFIRMED });
  await buy(3);
  assert.deepEqual((await activityOf(shop, member))[0], [
    'consumption',
    3,
    3,
    'Waits until the shop confirms the purchase',
  ]);
});

test('a change of the program neither makes points wait longer nor loses them', async () => {
  const { shop, buy, balance } = await make({ earning: DAYS });
  await at(shop, '2027-03-01T15:00:00Z');
  await buy(40);
  await shop.apply({
    sandbox: true,
    time_zone: 'UTC',
    earning: { money_per_point: 1, pending: { days: 200 } },
  });
  await buy(3);
  await shop.apply({ sandbox: true, time_zone: 'America/Los_Angeles', earning: { money_per_point: 1 } });
  await buy(2);
  assert.equal(await balance(), 2);
  await at(shop, '2027-03-15T00:00:00Z');
  assert.equal(await balance(), 42);
  await at(shop, '2027-09-17T00:00:00Z');
  assert.equal(await balance(), 45);
  await assertBooksAgree(db, shop.id);
});

test('a benefit of a tier is issued when the purchases behind it have stopped waiting', async () => {
  const tiers = {
    levels: { threshold_type: 'amount', ladder: [{ name: 'Gold', threshold: 50, benefit: 'cake' }] },
    benefits: [benefit('cake', { benefit_type: 'level', cost: 0 })],
  };
  const { shop, member, buy, confirm } = await make({ earning: CONFIRMED, ...tiers });
  const codes = async () =>
    ((await shop.get(`/v1/clients/${member.code}/benefits`)).body as unknown[]).length;
  await at(shop, '2027-03-01T15:00:00Z');
  const [first, second] = [await buy(30), await buy(30)];
  const level = await (await shop.browser(member)).get('/v1/me/level');
  assert.equal(level.status, 200, 'figures of tiers count at the purchase');
  assert.equal(await codes(), 0);
  const later = await buy(5);
  await confirm(second);
  assert.equal(await codes(), 0, 'the first purchase counted too');
  await confirm(first);
  assert.equal(await codes(), 1, 'what was bought after it is not behind it');
  await confirm(later);
  await runJob(db, 'pending-points', shop.id);
  assert.equal(await codes(), 1);
  await assertBooksAgree(db, shop.id);
});

test('a tier that only a cancelled purchase had reached is lost, and its benefit never comes', async () => {
  const tiers = {
    levels: { threshold_type: 'amount', ladder: [{ name: 'Gold', threshold: 50, benefit: 'cake' }] },
    benefits: [benefit('cake', { benefit_type: 'level', cost: 0 })],
  };
  const { shop, member, buy } = await make({ earning: CONFIRMED, ...tiers });
  await at(shop, '2027-03-01T15:00:00Z');
  await buy(60);
  await at(shop, '2027-04-01T00:00:00Z');
  await runJob(db, 'pending-points', shop.id);
  assert.equal((await (await shop.browser(member)).get('/v1/me/level')).status, 404);
  assert.deepEqual((await shop.get(`/v1/clients/${member.code}/benefits`)).body, []);
  const { rows } = await sql`select from pending_benefits where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 0);
  await assertBooksAgree(db, shop.id);
});

test('an erased person has nothing that waits', async () => {
  const { shop, buy, member } = await make({ earning: DAYS });
  await at(shop, '2027-03-01T15:00:00Z');
  const bought = await buy(40);
  await shop.erase(member);
  const { rows } = await sql`select from pending_points where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows.length, 0);
  assert.equal((await shop.post(`${bought.headers.get('location')}/reversal`, {})).status, 201);
  await at(shop, '2027-03-16T00:00:00Z');
  await runJob(db, 'pending-points', shop.id);
  await assertBooksAgree(db, shop.id);
});

test('the books find what waits too much, too little, too long or for nothing', async () => {
  const { shop, buy, member } = await make({ earning: DAYS });
  await at(shop, '2027-03-01T15:00:00Z');
  await buy(40);
  const findings = async (tamper: ReturnType<typeof sql>, mend: ReturnType<typeof sql>) => {
    await tamper.execute(db);
    const { differences } = await verifyLedger(db, { commerceIds: [shop.id] });
    await mend.execute(db);
    return differences.map(({ invariant }) => invariant);
  };
  const of = sql`where commerce_id = ${shop.id} and member_id = ${member.memberId}`;
  const stored = ['what waits is what the movements leave'];
  const change = (to: ReturnType<typeof sql>, back: ReturnType<typeof sql>) =>
    findings(sql`update pending_points set ${to} ${of}`, sql`update pending_points set ${back} ${of}`);
  assert.deepEqual(await change(sql`points = points + 1`, sql`points = points - 1`), stored);
  assert.deepEqual(await change(sql`points = points - 1`, sql`points = points + 1`), stored);
  assert.deepEqual(
    await change(sql`due_at = ${earlier('due_at', '-1 day')}`, sql`due_at = ${earlier('due_at', '1 day')}`),
    stored,
  );
  assert.deepEqual(await change(sql`becomes = 'cancelled'`, sql`becomes = 'available'`), stored);
  await assertBooksAgree(db, shop.id);
});

test(
  'a purchase at a shop without the field takes the statements that it took, and one that waits one more',
  { skip: withoutSetting('each part of a store is a statement of its own') },
  async () => {
    const { db: counted, count } = await countingDatabase();
    const namesOf = async (earning: ProgramFields) => {
      const { shop, member } = await make({ earning });
      const call = { commerceId: shop.id, buyer: { code: member.code }, amount: 5, ...NOWHERE };
      const { names } = await count(() => transaction(counted, (tx) => recordPurchases(tx, [call])));
      return names;
    };
    const usual = [
      'begin',
      'read-begun',
      'lock-members-by-code',
      'read-lots',
      'read-commerces',
      'store-movements',
      'commit',
    ];
    const sent = async (earning: ProgramFields) =>
      (await namesOf(earning)).filter((name) => name !== 'read-program');
    assert.deepEqual(await sent({ money_per_point: 1 }), usual);
    assert.deepEqual(await sent(DAYS), usual.toSpliced(-1, 0, 'store-pending'));
  },
);

async function make(fields: ProgramFields) {
  const shop = await makeShop({ sandbox: true, time_zone: 'UTC', ...fields });
  const member = await shop.member();
  return {
    shop,
    member,
    buy: (amount: number) => shop.post('/v1/consumptions/client-code', { client_code: member.code, amount }),
    balance: async () => ((await shop.get(`/v1/clients/${member.code}`)).body as { points: number }).points,
    reverse: async (bought: Answer, amount?: number) =>
      (await shop.post(`${bought.headers.get('location')}/reversal`, amount === undefined ? {} : { amount }))
        .body,
    confirm: (bought: Answer) => shop.post(`${bought.headers.get('location')}/confirmation`, undefined),
  };
}

function exchange(browser: Awaited<ReturnType<Shop['browser']>>, id: string) {
  return browser.post(
    '/v1/me/benefits/exchange',
    { benefit_id: id },
    {
      'idempotency-key': `${id}-${Math.random()}`,
    },
  );
}

function at(shop: Shop, instant: string) {
  return setClock(db, shop.id, new Date(instant));
}

async function movementsOf({ memberId }: MadeMember) {
  const { rows } = await sql<{ type: string; points: number; earned: number }>`
    select type, points, points_earned as earned from movements where member_id = ${memberId} order by id`.execute(
    db,
  );
  return rows.map(({ type, points, earned }) => [type, points, earned]);
}

async function lifetime({ memberId }: MadeMember) {
  const { rows } = await sql<{ points: number; amount: number; purchases: number }>`
    select points_earned as points, amount_spent as amount, purchases from members where id = ${memberId}`.execute(
    db,
  );
  return [rows[0]!.points, rows[0]!.amount, rows[0]!.purchases];
}

async function activityOf(shop: Shop, member: MadeMember) {
  const { body } = await (await shop.browser(member)).get('/v1/me/activity');
  const { results } = body as {
    results: { type: string; points: number; amount: number; additional_note: string | null }[];
  };
  return results.map(({ type, points, amount, additional_note: note }) => [type, points, amount, note]);
}

async function datesOf(shop: Shop, member: MadeMember) {
  const { body } = await (await shop.browser(member)).get('/v1/me/points/expirations');
  return (body as { points: number; expiration_date: string }[]).map(({ points, expiration_date: date }) => [
    points,
    date.slice(0, 10),
  ]);
}
