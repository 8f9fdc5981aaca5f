import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql, transaction, type Database } from '#db/database.ts';
import { breakMember, mendMember } from '#test/break-member.ts';
import { expectTampering, testDatabase } from '#test/database.ts';
import { benefit, makeShop, stampCard, type MadeMember, type Shop } from '#test/make.ts';
import { runJob, type JobName } from './run-jobs.ts';

let db: Database;
before(async () => {
  db = await testDatabase();
});

const PROGRAM = {
  sandbox: true,
  clock: '2027-01-01T09:00:00Z',
  points_expiration: { mode: 'rolling', months: 2 },
  levels: {
    valid_months: 2,
    ladder: [
      { name: 'One', threshold: 0 },
      { name: 'Two', threshold: 100 },
    ],
  },
  rewards: { birthday: { points: 25 }, monthly_top: { points: 500, settle_days: 0 } },
  mail: { reminders: true },
};

/** Those that follow the ledger and that of codes change no member, and retention does not go by the clock of a shop. */
type MembersJob = Exclude<JobName, 'expiring-codes' | 'reports' | 'retention' | 'seal' | 'verify'>;

/** The rows that each job leaves for a member, to be counted. */
const effects: Record<MembersJob, (member: MadeMember) => ReturnType<typeof sql>> = {
  'pending-points': ({ memberId }) => sql`movements where member_id = ${memberId} and type = 'available'`,
  'expire-points': ({ memberId }) => sql`movements where member_id = ${memberId} and type = 'expiry'`,
  'expire-tiers': ({ memberId }) => sql`members where id = ${memberId} and tier_expires_on > '2027-04-20'`,
  birthdays: ({ memberId }) => sql`rewards where member_id = ${memberId} and event = 'birthday'`,
  'monthly-top': ({ memberId }) => sql`rewards where member_id = ${memberId} and event = 'monthly_top'`,
  reminders: ({ memberId }) => sql`reminders where member_id = ${memberId}`,
};

for (const name of ['expire-points', 'expire-tiers', 'birthdays', 'reminders'] as const) {
  test(`a broken member does not stop ${name} for others, in the same shop or another`, async () => {
    const [shop, other] = [await makeShop(PROGRAM), await makeShop(PROGRAM)];
    const members = [await customer(shop), await customer(shop), await customer(shop)];
    const healthy = await customer(other);
    await breakMember(db, members[1]!.memberId);
    for (const { id } of [shop, other]) await setClock(db, id, dayFor(name));

    await runJob(db, name).catch(() => {});
    const done = [...members, healthy].map((member) => happened(name, member));
    assert.deepEqual(await Promise.all(done), [true, false, true, true]);
  });
}

test('a member whose points cannot be written keeps nobody from the code of a full card', async () => {
  const shop = await makeShop({
    sandbox: true,
    time_zone: 'UTC',
    earning: { money_per_point: 1, pending: { days: 14 } },
    benefits: [benefit('free-coffee', { on_sale: false })],
    stamps: [stampCard('coffee', 'free-coffee')],
  });
  await setClock(db, shop.id, new Date('2027-03-01T10:00:00Z'));
  const [broken, blocked] = [await shop.member(), await shop.member()];
  await shop.sell(broken, 5);
  for (let n = 0; n < 3; n++) await shop.sell(blocked, 5);
  const block = (at: ReturnType<typeof sql>) =>
    sql`update members set blocked_at = ${at} where commerce_id = ${shop.id} and id = ${blocked.memberId}`.execute(
      db,
    );
  await block(sql`now()`);
  await breakMember(db, broken.memberId);
  await setClock(db, shop.id, new Date('2027-03-16T00:00:00Z'));
  const failing = async () =>
    (await runJob(db, 'pending-points', shop.id)).failures.map((one) => one.memberId);
  assert.deepEqual(await failing(), [broken.memberId]);
  // The points of the other are written now, and only the card waits.
  await block(sql`null`);
  assert.deepEqual(await failing(), [broken.memberId]);
  const { rows } = await sql<{ memberId: number }>`
    select member_id as "memberId" from vouchers where commerce_id = ${shop.id}`.execute(db);
  assert.deepEqual(rows, [{ memberId: blocked.memberId }]);
  await mendMember(db, broken.memberId);
});

test('a broken winner of the monthly reward does not stop other shops, and nobody else gets the reward', async () => {
  const [shop, other] = [await makeShop(PROGRAM), await makeShop(PROGRAM)];
  const [winner, second] = [await customer(shop, 200), await customer(shop)];
  const healthy = await customer(other);
  await breakMember(db, winner.memberId);
  for (const { id } of [shop, other]) await setClock(db, id, new Date('2027-04-02T10:00:00Z'));

  await runJob(db, 'monthly-top').catch(() => {});
  const done = [winner, second, healthy].map((member) => happened('monthly-top', member));
  assert.deepEqual(await Promise.all(done), [false, false, true]);
});

test('a shop whose time zone the database does not know does not stop the jobs of other shops', async () => {
  const [shop, other] = [await makeShop(PROGRAM), await makeShop(PROGRAM)];
  await customer(shop);
  const healthy = await customer(other);
  await setClock(db, other.id, dayFor('expire-points'));
  await sql`update commerces set time_zone = 'Mars/Phobos' where id = ${shop.id}`.execute(db);
  for (const name of ['expire-points', 'expire-tiers'] as const) {
    await runJob(db, name).catch(() => {});
    assert.ok(await happened(name, healthy), name);
  }
  await sql`update commerces set time_zone = 'Europe/Madrid' where id = ${shop.id}`.execute(db);
});

test('a failed run names the shop and the member, and stays on record until a run succeeds', async () => {
  const [shop, other] = [await makeShop(PROGRAM), await makeShop(PROGRAM)];
  const members = [await customer(shop), await customer(shop), await customer(other)];
  await breakMember(db, members[0]!.memberId);
  for (const { id } of [shop, other]) await setClock(db, id, dayFor('birthdays'));

  const error = `member ${members[0]!.memberId} is broken`;
  const { members: touched, failures } = await runJob(db, 'birthdays', shop.id);
  assert.equal(touched, 1);
  assert.deepEqual(
    failures.map(({ commerce, memberId, error }) => [commerce, memberId, (error as Error).message]),
    [[shop.slug, members[0]!.memberId, error]],
  );
  assert.deepEqual(await onRecord(shop), {
    since: '2027-04-15',
    error,
  });

  await setClock(db, shop.id, new Date('2027-04-17T10:00:00Z'));
  await runJob(db, 'birthdays');
  assert.equal((await onRecord(shop))?.since, '2027-04-15', 'the time of the first failure is kept');
  assert.equal(await onRecord(other), null);

  await mendMember(db, members[0]!.memberId);
  assert.deepEqual(await runJob(db, 'birthdays', shop.id), { members: 1, failures: [] });
  assert.equal(await onRecord(shop), null);
});

test('a birthday that was missed because the job failed is rewarded within 60 days, however long it failed', async () => {
  for (const [mendedOn, rewarded] of [
    ['2027-06-14', true],
    ['2027-06-15', false],
  ] as const) {
    const shop = await makeShop(PROGRAM);
    const [broken, healthy] = [await customer(shop), await customer(shop)];
    await breakMember(db, broken.memberId);
    await setClock(db, shop.id, dayFor('birthdays'));
    await runJob(db, 'birthdays', shop.id);
    await mendMember(db, broken.memberId);
    await setClock(db, shop.id, new Date(`${mendedOn}T10:00:00Z`));
    await runJob(db, 'birthdays', shop.id);
    await runJob(db, 'birthdays', shop.id);
    const done = [broken, healthy].map((member) => happened('birthdays', member));
    assert.deepEqual(await Promise.all(done), [rewarded, true]);
  }
});

test('a birthday that was missed for another reason is rewarded only within 7 days', async () => {
  const shop = await makeShop(PROGRAM);
  const member = await customer(shop);
  await setClock(db, shop.id, new Date('2027-04-23T10:00:00Z'));
  await runJob(db, 'birthdays', shop.id);
  assert.equal(await happened('birthdays', member), false);
});

test('the months of a broken winner are rewarded once they are repaired, oldest first', async () => {
  const shop = await makeShop(PROGRAM);
  const [winner, other] = [await customer(shop, 200), await customer(shop)];
  await breakMember(db, winner.memberId);
  await setClock(db, shop.id, new Date('2027-03-10T10:00:00Z'));
  await shop.sell(other, 10);
  await setClock(db, shop.id, new Date('2027-05-02T10:00:00Z'));
  const first = await runJob(db, 'monthly-top', shop.id);
  assert.deepEqual([first.members, first.failures.map(({ memberId }) => memberId)], [1, [winner.memberId]]);
  await mendMember(db, winner.memberId);
  assert.deepEqual(await runJob(db, 'monthly-top', shop.id), { members: 1, failures: [] });
  assert.deepEqual(await runJob(db, 'monthly-top', shop.id), { members: 0, failures: [] });
  const { rows } = await sql<{ period: string; memberId: number }>`
    select period, member_id as "memberId" from rewards
     where commerce_id = ${shop.id} and event = 'monthly_top' order by period`.execute(db);
  assert.deepEqual(
    rows.map(({ period, memberId }) => [period, memberId]),
    [
      ['2027-02', winner.memberId],
      ['2027-03', other.memberId],
    ],
  );
});

test('a job that fails for everybody stops early, and the next shop gets its turn', async () => {
  const [shop, other] = [await makeShop(PROGRAM), await makeShop(PROGRAM)];
  await sql`
    insert into members (commerce_id, state, email, user_id, code, ordinal, birth_date, birth_date_set_at)
    select ${shop.id}, 'member', 'b' || i || '-' || ${shop.slug} || '@example.com', null, 100000000 + i, i,
           '1990-04-15', '2027-01-01'
      from generate_series(1, 500) as i`.execute(db);
  expectTampering(shop.id);
  await sql`
    create trigger nothing_for_anybody before insert on rewards for each row when (new.commerce_id = ${sql.lit(shop.id)})
      execute function refuse_change()`.execute(db);
  const healthy = await customer(other);
  for (const { id } of [shop, other]) await setClock(db, id, dayFor('birthdays'));
  const { failures } = await runJob(db, 'birthdays');
  assert.equal(failures.filter(({ commerceId }) => commerceId === shop.id).length, 51);
  assert.match(
    String(failures.find(({ memberId }) => memberId === null)?.error),
    /50 members failed in a row/,
  );
  assert.ok(await happened('birthdays', healthy));
});

/** When a job has something to do for members who bought on 10 February and were born on 15 April. */
function dayFor(name: MembersJob): Date {
  return new Date(name === 'reminders' ? '2027-04-05T10:00:00Z' : '2027-04-15T10:00:00Z');
}

async function customer(shop: Shop, amount = 100): Promise<MadeMember> {
  await setClock(db, shop.id, new Date('2027-02-10T10:00:00Z'));
  const member = await shop.member();
  await shop.sell(member, amount);
  await sql`
    update members set birth_date = '1990-04-15', birth_date_set_at = '2027-02-10'
     where commerce_id = ${shop.id} and id = ${member.memberId}`.execute(db);
  return member;
}

/**
 * Returns since when the birthdays job has been failing at a shop, and its error. Returns null if it is not failing.
 */
async function onRecord(shop: Shop): Promise<{ since: string; error: string } | null> {
  const { rows } = await sql<{ since: string; error: string }>`
    select failing_since::date as since, last_error as error
      from commerce_jobs
     where commerce_id = ${shop.id} and job = 'birthdays' and failing_since is not null`.execute(db);
  return rows[0] === undefined ? null : { ...rows[0] };
}

async function happened(name: MembersJob, member: MadeMember): Promise<boolean> {
  const { rows } = await sql`select 1 from ${effects[name](member)}`.execute(db);
  return rows.length > 0;
}

test('an open transaction holds a job up once, and not at each shop', async () => {
  const shops = [await makeShop(), await makeShop()];
  for (const shop of shops) await shop.sell(await shop.member(), 10);
  const open = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const writer = transaction(db, async (tx) => {
    await sql`lock table movements in row exclusive mode`.execute(tx);
    begun.resolve();
    await open.promise;
  });
  await begun.promise;
  let asked = 0;
  const query: Database['query'] = (text, values) => {
    if (text.includes('read-last-movement')) asked += 1;
    return db.query(text, values);
  };
  const run = await runJob({ ...db, query }, 'seal');
  open.resolve();
  await writer;
  assert.deepEqual(run, { members: 0, failures: [], isHeldUp: true });
  assert.equal(asked, 1);
  const { done } = await runJob(db, 'seal');
  for (const { id } of shops)
    assert.deepEqual(
      done?.filter(({ commerceId }) => commerceId === id),
      [{ commerceId: id, what: 'movements sealed: 1' }],
    );
});
