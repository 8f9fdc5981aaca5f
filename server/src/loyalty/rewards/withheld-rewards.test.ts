import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql, type Database } from '#db/database.ts';
import { importMembers } from '#enrolment/import-members.ts';
import { assertBooksAgree } from '#test/books.ts';
import { loyalty } from '#test/command.ts';
import { testDatabase } from '#test/database.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';
import { redeemVoucher } from '#vouchers/redeem-voucher.ts';
import { birthdays } from '#jobs/birthdays.ts';
import { monthlyTop } from '#jobs/monthly-top.ts';
import { startJobs } from '#jobs/start-jobs.ts';

let db: Database;
before(async () => {
  db = await testDatabase();
});

const EXPIRES = '2027-06-01T00:00:00Z';
const kinds = ['welcome', 'birthday', 'monthly_top', 'level'] as const;

/** A program in which every reward gives a benefit that expires on 1 June. */
function program(expiration: string) {
  return {
    sandbox: true,
    clock: '2027-01-01T10:00:00Z',
    levels: {
      ladder: [
        { name: 'One', threshold: 0 },
        { name: 'Two', threshold: 100, benefit: 'level' },
      ],
    },
    rewards: {
      welcome: { benefit: 'welcome' },
      birthday: { benefit: 'birthday' },
      monthly_top: { benefit: 'monthly-top', settle_days: 0 },
    },
    benefits: kinds.map((kind) =>
      benefit(kind.replace('_', '-'), { benefit_type: kind, cost: 0, expiration, valid_days: 30 }),
    ),
  };
}

test('any reward whose benefit has expired gives nothing, and that is recorded', async () => {
  const shop = await makeShop(program(EXPIRES));
  await at(shop, EXPIRES);
  const member = await shop.member(); // welcome
  assert.deepEqual([member.joined, member.welcomeBenefit, member.welcomePoints], [true, null, null]);
  await shop.sell(member, 100); // level
  await born(shop, member, '1990-06-02');
  await at(shop, '2027-06-02T10:00:00Z');
  assert.equal(await birthdays.run(db, shop.id), 0);
  await at(shop, '2027-07-01T10:00:00Z');
  assert.equal(await monthlyTop.run(db, shop.id), 0);
  assert.equal(await monthlyTop.run(db, shop.id), 0);

  assert.deepEqual(await codesOf(shop), []);
  assert.deepEqual(await withheldFrom(shop), [
    ['welcome', '', 'welcome', 'expired'],
    ['level', 'two', 'level', 'expired'],
    ['birthday', '2027', 'birthday', 'expired'],
    ['monthly_top', '2027-06', 'monthly-top', 'expired'],
  ]);
  assert.deepEqual((await (await shop.browser(member)).get('/v1/me/benefits')).body, []);
  await assertBooksAgree(db, shop.id);
});

test('an imported member does not get an expired benefit either', async () => {
  const shop = await makeShop(program(EXPIRES));
  await at(shop, EXPIRES);
  const email = `imported-${shop.slug}@example.com`;
  // oxlint-disable-next-line typescript/require-await -- rows are read one by one, as from a file
  const lines = (async function* () {
    yield { line: 1, fields: { email, points: '100' } };
  })();
  const { imported } = await importMembers(db, shop.id, lines, { welcome: true });
  assert.equal(imported, 1);
  assert.deepEqual(await codesOf(shop), []);
});

test('a benefit is given until the moment it expires, and its code is valid until then', async () => {
  const shop = await makeShop(program(EXPIRES));
  await at(shop, '2027-05-31T23:59:00Z');
  await shop.member();
  const { rows } = await sql<{ due: Date }>`
    select due_at as due from vouchers where commerce_id = ${shop.id}`.execute(db);
  assert.deepEqual(
    rows.map(({ due }) => due),
    [new Date(EXPIRES)],
  );
});

test('a withdrawn benefit is given to nobody', async () => {
  const shop = await makeShop(program('2030-01-01T00:00:00Z'));
  // A program file cannot cause this: a file whose reward names a missing benefit is refused.
  await sql`update benefits set withdrawn_at = now() where commerce_id = ${shop.id} and id = 'welcome'`.execute(
    db,
  );
  const { welcomeBenefit } = await shop.member();
  assert.equal(welcomeBenefit, null);
  assert.deepEqual(await withheldFrom(shop), [['welcome', '', 'welcome', 'withdrawn']]);
});

test('a birthday and the last month are rewarded once the program has a valid benefit again', async () => {
  const shop = await makeShop(program(EXPIRES));
  await at(shop, '2027-05-31T10:00:00Z');
  const member = await shop.member();
  await born(shop, member, '1990-07-30');
  for (const month of ['06', '07']) {
    await at(shop, `2027-${month}-10T10:00:00Z`);
    await shop.sell(member, 10);
  }
  await at(shop, '2027-07-02T10:00:00Z');
  await monthlyTop.run(db, shop.id); // for June: gives nothing
  await at(shop, '2027-08-02T10:00:00Z');
  for (const job of [birthdays, monthlyTop]) assert.equal(await job.run(db, shop.id), 0);
  await shop.apply(program('2028-01-01T00:00:00Z'));
  for (const job of [birthdays, monthlyTop]) assert.equal(await job.run(db, shop.id), 1);
  assert.deepEqual(await rewardsOf(shop), [
    ['birthday', '2027'],
    ['monthly_top', '2027-07'],
    ['welcome', ''],
  ]);
  await assertBooksAgree(db, shop.id);
});

test('a withheld reward is logged once, by one process', async () => {
  const shop = await makeShop(program(EXPIRES));
  await at(shop, EXPIRES);
  for (let i = 0; i < 3; i++) await shop.member();
  const warnings: object[] = [];
  const log = { info: () => {}, warn: (withheld: object) => warnings.push(withheld), error: () => {} };
  for (let round = 0; round < 2; round++) {
    const running = [startJobs(db, log), startJobs(db, log)];
    await until(async () => (await unlogged(shop)) === 0);
    for (const jobs of running) await jobs.stop();
  }
  assert.deepEqual(
    warnings.filter((warning) => (warning as { commerce: string }).commerce === shop.slug),
    [{ commerce: shop.slug, event: 'welcome', benefit: 'welcome', reason: 'expired', members: 3 }],
  );
});

test('applying a program that rewards with expired benefits prints a warning for each', async () => {
  const shop = await makeShop({ sandbox: true, clock: EXPIRES });
  const { clock: _, ...fields } = program(EXPIRES);
  const file = {
    slug: shop.slug,
    name: shop.slug,
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 1 },
    ...fields,
  };
  for (const options of [['--dry-run'], [], []]) {
    const { code, stderr, json } = await loyalty(['apply', '-', '--json', ...options], {
      input: JSON.stringify(file),
    });
    const because = `expired on ${EXPIRES}, so nothing is handed out`;
    const warnings = [
      `rewards.welcome.benefit: welcome ${because}`,
      `rewards.birthday.benefit: birthday ${because}`,
      `rewards.monthly_top.benefit: monthly-top ${because}`,
      `levels.ladder[1].benefit: level ${because}`,
    ];
    assert.equal(code, 0, stderr);
    assert.deepEqual(json<{ warnings: string[] }>().warnings, warnings);
    assert.deepEqual(
      stderr.trim().split('\n'),
      warnings.map((warning) => `warning: ${warning}`),
    );
  }
});

test('a benefit that a member was given before is not withheld when its tier is reached again', async () => {
  const shop = await makeShop(program(EXPIRES));
  const member = await shop.member();
  const body = { client_code: member.code, amount: 100 };
  const id = (await shop.post('/v1/consumptions/client-code', body)).headers.get('x-consumption-id');
  const codes = await codesOf(shop);
  for (const code of codes) await redeemVoucher(db, { commerceId: shop.id, code });
  await shop.post(`/v1/consumptions/${id}/reversal`, {});
  await at(shop, '2027-06-02T10:00:00Z');
  await shop.sell(member, 100);
  assert.deepEqual(await codesOf(shop), codes);
  assert.deepEqual(await withheldFrom(shop), []);
});

async function at(shop: Shop, instant: string): Promise<void> {
  await setClock(db, shop.id, new Date(instant));
}

async function born(shop: Shop, member: MadeMember, day: string): Promise<void> {
  await sql`
    update members set birth_date = ${day}, birth_date_set_at = '2026-01-01'
     where commerce_id = ${shop.id} and id = ${member.memberId}`.execute(db);
}

async function codesOf(shop: Shop): Promise<number[]> {
  const { rows } = await sql<{
    code: number;
  }>`select code from vouchers where commerce_id = ${shop.id}`.execute(db);
  return rows.map(({ code }) => code);
}

async function withheldFrom(shop: Shop): Promise<[string, string, string, string][]> {
  const { rows } = await sql<{ event: string; period: string; benefit: string; reason: string }>`
    select event, period, benefit_id as benefit, reason
      from withheld_rewards where commerce_id = ${shop.id} order by at`.execute(db);
  return rows.map(({ event, period, benefit, reason }) => [event, period, benefit, reason]);
}

async function rewardsOf(shop: Shop): Promise<[string, string][]> {
  const { rows } = await sql<{ event: string; period: string }>`
    select event, period from rewards where commerce_id = ${shop.id} order by event, period`.execute(db);
  return rows.map(({ event, period }) => [event, period]);
}

async function unlogged(shop: Shop): Promise<number> {
  const { rows } = await sql`
    select 1 from withheld_rewards where commerce_id = ${shop.id} and logged_at is null`.execute(db);
  return rows.length;
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await new Promise((resolve) => setTimeout(resolve, 10));
}
